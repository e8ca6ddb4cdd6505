import { Command } from 'commander'
import { afterEach, expect, test } from 'vitest'
import { createChecks } from '#cli/check-runtime.ts'
import { registerCheck } from '#cli/commands/check.ts'
import { registerPack } from '#cli/commands/pack.ts'
import { registerPipelineLint } from '#cli/commands/pipeline/lint.ts'
import type { Schema } from '#client/create-client.ts'
import { loadConfig } from '#platform/config.ts'
import { SOUND } from '#test/unit/platform/check/sound-deployment.ts'
import { temporaryFolder } from '#test/unit/platform/packs/pack-folder.ts'

const folders: ReturnType<typeof temporaryFolder>[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove()
})

const ENV = {
  OPS_HOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ORDERS_URL: 'postgres://orders@127.0.0.1:1/orders',
  SHOP_API: 'http://127.0.0.1:1',
}

function deployment(changed: Record<string, string> = {}): string {
  const folder = temporaryFolder()
  folders.push(folder)
  folder.write({ ...SOUND, ...changed })
  return folder.root
}

const MISSPELT = {
  'rules/nodes.yaml': (SOUND['rules/nodes.yaml'] ?? '').replace('environment: live', 'environment: lvie'),
}
const ERROR = 'rules/nodes.yaml:8:16: there is no environment lvie; did you mean live?'

/** connections of the console */
let stored: Schema<'Connection'>[] = []

class Exit extends Error {}

async function svc(args: string[], env: Record<string, string> = ENV) {
  const lines: string[] = []
  let code = 0
  const deps = {
    checks: async () => createChecks(() => loadConfig(env), env),
    config: () => loadConfig(env),
    api: () => ({
      connections: async () => stored,
      describe: async () => ({
        status: 'ok' as const,
        checks: { postgres: 'ok', temporal: 'ok', workers: 'ok', audit: 'ok' } as const,
        problems: [{ file: 'policies/live.yaml', message: 'no user holds the role dba', warning: true }],
      }),
    }),
    out: (line: string) => void lines.push(line),
    err: (line: string) => void lines.push(line),
    exit: (status: number): never => {
      code = status
      throw new Exit()
    },
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  registerCheck(program, deps)
  registerPack(program, deps)
  registerPipelineLint(program.command('pipeline'), deps)
  await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof Exit)) throw error
  })
  return { code, lines }
}

test('0: nothing is wrong', async () => {
  expect(await svc(['check', deployment()])).toEqual({ code: 0, lines: ['Nothing is wrong.'] })
})

test('1: an error, with its place and the name that was meant, also as JSON', async () => {
  const dir = deployment(MISSPELT)
  expect(await svc(['check', dir])).toEqual({ code: 1, lines: [`error  ${ERROR}`, '1 error, 0 warnings'] })
  const { code, lines } = await svc(['check', dir, '--json'])
  expect(code).toBe(1)
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { severity: 'error', file: 'rules/nodes.yaml', line: 8, column: 16, message: ERROR.slice(23) },
  ])
})

test('2: wrong arguments, and no pack', async () => {
  expect((await svc(['check', '--nope'])).code).toBe(2)
  expect((await svc(['pack', 'lint', '/nowhere'])).code).toBe(2)
  expect((await svc(['pack', 'test'])).code).toBe(2)
})

test('a warning fails only with --strict', async () => {
  const { ORDERS_URL: _unset, ...env } = ENV
  const dir = deployment()
  expect(await svc(['check', dir], env)).toMatchObject({
    code: 0,
    lines: [
      'warning  environments/live.yaml: the connection orders cannot be used: the secret env:ORDERS_URL is not set',
      expect.any(String),
    ],
  })
  expect((await svc(['check', dir, '--strict'], env)).code).toBe(1)
})

test('settings that cannot be used are errors', async () => {
  const { code, lines } = await svc(['check'], { SVC_PORT: 'x' })
  expect(code).toBe(1)
  expect(lines[0]).toContain('SVC_PORT: is "x"; it takes an integer')
})

test('--connect says who does not answer, --online what only the service knows', async () => {
  const dir = deployment()
  const { code, lines } = await svc(['check', dir, '--connect', '--online'])
  expect(code).toBe(1)
  expect(lines).toEqual([
    'warning  policies/live.yaml: no user holds the role dba',
    'error  connection live/orders: 127.0.0.1:1 does not answer (ECONNREFUSED)',
    'error  connection live/shop-api: 127.0.0.1:1 does not answer (ECONNREFUSED)',
    '2 errors, 1 warning',
  ])
})

test('--online says which connections fail, as an error where steps use them, and which soon will', async () => {
  const connection = (name: string, changes: Partial<Schema<'Connection'>>) =>
    ({ name, status: 'healthy', bound_by: [{ environment: 'live', name: 'api' }], ...changes }) as Schema<'Connection'>
  stored = [
    connection('good', {}),
    connection('crm', { status: 'failed', problem: 'it has ended: an admin authorises it again' }),
    connection('unused', { status: 'failed', problem: 'nobody has authorised it yet', bound_by: [] }),
    connection('soon', { problem: 'it ends at 2026-01-07T09:30:00.000Z' }),
  ]
  const { code, lines } = await svc(['check', deployment(), '--online'])
  stored = []
  expect(code).toBe(1)
  expect(lines).toEqual([
    'warning  policies/live.yaml: no user holds the role dba',
    'error  connection crm: it has ended: an admin authorises it again',
    'warning  connection unused: nobody has authorised it yet',
    'warning  connection soon: it ends at 2026-01-07T09:30:00.000Z',
    '1 error, 3 warnings',
  ])
})

test('--environment and --template explain what each step would do, and why', async () => {
  const { lines } = await svc(['check', deployment(), '--environment', 'live', '--template', 'shop/drain-node'])
  expect(lines.slice(0, -1)).toEqual([
    expect.stringMatching(/^TEMPLATE +ENVIRONMENT +STEP +OUTCOME +BECAUSE$/),
    expect.stringMatching(/^shop\/drain-node +live +orders +dry_run +the pack policy draining-is-tried-first$/),
    expect.stringMatching(/^shop\/drain-node +live +act +gate +role approver; the profile .*live-needs-people/),
    expect.stringMatching(/^shop\/drain-node +live +report +dry_run +the pack policy draining-is-tried-first$/),
  ])
})

test('svc pack lint and svc pack test look at one pack', async () => {
  const dir = `${deployment({ 'packs/shop/tests/drain.yaml': '- { name: t, template: drain-node, inputs: { node: n1 }, steps: { orders: dry_run, act: auto, report: dry_run } }\n' })}/packs/shop`
  const linted = await svc(['pack', 'lint', dir])
  expect(linted.code).toBe(0)
  // the environment is of the deployment, and a pack on its own knows only those that are always there
  expect(linted.lines).toContain('warning  shop/policies/drain.yaml:2:42: there is no environment or class live')
  const tested = await svc(['pack', 'test', dir])
  expect(tested.code).toBe(1)
  expect(tested.lines).toEqual([expect.stringContaining('act is gate, expected was auto: '), '0 passed, 1 failed'])
})

const BUNDLE = `apiVersion: svc/v1
pipelines:
  drain:
    title: Drain a node
    steps:
      - id: drain
        uses: shop/drain-node
        with: { node: n1 }
        timeout: 10m
`
const OF_PACK = 'packs/shop/pipelines/drain/pipeline.yaml'
const BROKEN = BUNDLE.replace('drain-node', 'drian-node')
const HINT = 'there is no template shop/drian-node; did you mean shop/drain-node?'

test('svc check and svc pack lint read the bundles of packs, and svc check those of the deployment', async () => {
  expect(await svc(['check', deployment({ [OF_PACK]: BUNDLE, 'pipelines/own/pipeline.yaml': BUNDLE })])).toEqual({
    code: 0,
    lines: ['Nothing is wrong.'],
  })
  const dir = deployment({ [OF_PACK]: BROKEN, 'pipelines/own/pipeline.yaml': BROKEN })
  expect(await svc(['check', dir])).toEqual({
    code: 1,
    lines: [
      `error  pipelines/own/pipeline.yaml:7:15: ${HINT}`,
      `error  shop/pipelines/drain/pipeline.yaml:7:15: ${HINT}`,
      '2 errors, 0 warnings',
    ],
  })
  const linted = await svc(['pack', 'lint', `${dir}/packs/shop`])
  expect(linted.code).toBe(1)
  expect(linted.lines).toContain(`error  shop/pipelines/drain/pipeline.yaml:7:15: ${HINT}`)
})

test('svc check reads the bundles that the settings name, and says where there are none', async () => {
  const dir = deployment({ 'flows/own/pipeline.yaml': BROKEN })
  const env = { ...ENV, SVC_HOME: dir, SVC_PACKS_DIR: `${dir}/packs` }
  const { lines } = await svc(['check'], { ...env, SVC_PIPELINES_DIR: `${dir}/flows` })
  expect(lines).toContain(`error  pipelines/own/pipeline.yaml:7:15: ${HINT}`)
  const absent = await svc(['check'], { ...env, SVC_PIPELINES_DIR: `${dir}/absent` })
  expect(absent.lines).toContain(`error  ${dir}/absent: there is no such directory`)
})

test('packs and pipelines of SVC_HOME are read where no setting names others, and need not be there', async () => {
  const { SVC_SHOP: _none, ...env } = {
    ...ENV,
    SVC_SHOP: '',
    SVC_HOME: deployment({ 'pipelines/own/pipeline.yaml': BROKEN }),
  }
  expect((await svc(['check'], env)).lines).toEqual([
    `error  pipelines/own/pipeline.yaml:7:15: ${HINT}`,
    '1 error, 0 warnings',
  ])
  const folder = temporaryFolder()
  folders.push(folder)
  expect(await svc(['check'], { SVC_HOME: folder.root })).toEqual({ code: 0, lines: ['Nothing is wrong.'] })
  folder.write({ 'pack/shop/pack.yaml': '' })
  expect((await svc(['check'], { SVC_HOME: folder.root })).lines[0]).toBe(
    'error  pack: is not read; did you mean packs?',
  )
})

test('a variable that a file names as a secret is no unknown setting, and one that nothing names is', async () => {
  const ingress = [
    'SVC_GITHUB_WEBHOOK_SECRET',
    `SVC_GITHUB_WEBHOOK_SECRET__WS_${'0'.repeat(26)}`,
    'SVC_HOOK',
    'SVC_KEY',
  ]
  const dir = deployment({
    'channels.yaml': (SOUND['channels.yaml'] ?? '').replace('OPS_HOOK_SECRET', 'SVC_HOOK'),
    'models.yaml': (SOUND['models.yaml'] ?? '').replace('id: quick,', 'id: quick, key: "env:SVC_KEY",'),
  })
  const set = Object.fromEntries(ingress.map((name) => [name, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']))
  expect(await svc(['check', '--strict'], { ...ENV, ...set, SVC_HOME: dir })).toEqual({
    code: 0,
    lines: ['Nothing is wrong.'],
  })
  const { code, lines } = await svc(['check', '--strict'], { ...ENV, ...set, SVC_HOME: dir, SVC_HOOKS: 'x' })
  expect([code, lines[0]]).toEqual([1, expect.stringContaining('SVC_HOOKS is no setting')])
})

test('with --online a corpus and a policy of the console are left to the service', async () => {
  const dir = deployment({
    'environments/live.yaml': `${SOUND['environments/live.yaml']}knowledge: [runbooks]\npolicies: [quiet-hours]\n`,
  })
  expect((await svc(['check', dir])).lines.filter((line) => line.includes('only the running service'))).toHaveLength(2)
  expect((await svc(['check', dir, '--online'])).lines).toEqual([
    'warning  policies/live.yaml: no user holds the role dba',
    '0 errors, 1 warning',
  ])
})

test('svc pipeline lint checks one bundle, or all in each directory', async () => {
  const dir = deployment({ [OF_PACK]: BUNDLE, 'flows/one/pipeline.yaml': BROKEN, 'flows/two/pipeline.yaml': BUNDLE })
  const env = { ...ENV, SVC_PACKS_DIR: `${dir}/packs` }
  expect(await svc(['pipeline', 'lint', `${dir}/flows/two`], env)).toEqual({ code: 0, lines: ['Nothing is wrong.'] })
  const finding = { file: `${dir}/flows/one/pipeline.yaml`, line: 7, column: 15, message: HINT }
  expect(await svc(['pipeline', 'lint', `${dir}/flows/two`, `${dir}/flows/`], env)).toEqual({
    code: 1,
    lines: [`error  ${finding.file}:7:15: ${HINT}`, '1 error, 0 warnings'],
  })
  const { code, lines } = await svc(['pipeline', 'lint', '--json', `${dir}/flows/one`], env)
  expect([code, ...lines.map((line) => JSON.parse(line))]).toEqual([1, { severity: 'error', ...finding }])
})

test('svc pipeline lint knows the templates of the pack that a bundle lies in, installed or not', async () => {
  const dir = deployment({ [OF_PACK]: BUNDLE })
  const bundles = `${dir}/packs/shop/pipelines`
  expect(await svc(['pipeline', 'lint', bundles, `${bundles}/drain`])).toEqual({
    code: 0,
    lines: ['Nothing is wrong.'],
  })
})

test('svc pipeline lint: a warning fails with --strict only, and no bundle is a wrong argument', async () => {
  const dir = deployment({ [OF_PACK]: `${BUNDLE}        on_failure: compensate\n` })
  const bundle = `${dir}/packs/shop/pipelines/drain`
  const { code, lines } = await svc(['pipeline', 'lint', bundle])
  expect([code, lines.at(-1)]).toEqual([0, '0 errors, 1 warning'])
  expect((await svc(['pipeline', 'lint', '--strict', bundle])).code).toBe(1)
  expect(await svc(['pipeline', 'lint', `${dir}/rules`])).toMatchObject({ code: 1 })
  const none = `${dir}/profiles/none`
  expect(await svc(['pipeline', 'lint', none])).toEqual({ code: 2, lines: [`there is no pipeline.yaml in ${none}`] })
  const file = `${bundle}/pipeline.yaml`
  const finding = `${file} is a file: name the directory of the bundle`
  expect(await svc(['pipeline', 'lint', file])).toEqual({ code: 2, lines: [finding] })
  expect((await svc(['pipeline', 'lint'])).code).toBe(2)
})
