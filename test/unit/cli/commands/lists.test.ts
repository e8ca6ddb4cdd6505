import { Command } from 'commander'
import { expect, test } from 'vitest'
import { ApiProblem } from '#cli/client/api-problem.ts'
import { registerGates } from '#cli/commands/gates.ts'
import { registerPacks } from '#cli/commands/packs.ts'
import { registerRuns } from '#cli/commands/runs.ts'
import { registerTemplates } from '#cli/commands/templates.ts'
import { registerUsers } from '#cli/commands/users.ts'
import { registerWorkspaces } from '#cli/commands/workspaces.ts'
import type { Schema } from '#client/create-client.ts'

type Run = Schema<'Run'>

const AGO = (ms: number) => new Date(Date.now() - ms).toISOString()
const id = (letter: string) => `run_${letter.repeat(26)}`
const run = (letter: string, more: Partial<Run> = {}) =>
  ({
    id: id(letter),
    status: 'awaiting_approval',
    pack: 'shop',
    template: 'drain-node',
    environment: 'production',
    lane: 'realtime',
    risk: 'high',
    inputs: { node: 'n1' },
    provenance: { trigger: { type: 'alert' }, actor: { display: 'Ann' } },
    total_usd: 0,
    created_at: AGO(7_200_500),
    awaiting_since: AGO(3_600_500),
    updated_at: '2026-01-05T09:30:00.000Z',
    ...more,
  }) as Run
const gate = (letter: string) =>
  ({
    run_id: id(letter),
    step: 'act',
    opened_at: AGO(3_600_500),
    expires_at: AGO(-600_500),
    pack: 'shop',
    template: 'drain-node',
    environment: 'production',
    risk: 'high',
    summary: `drain ${letter}`,
    missing: { approvals: 1, roles: [], text: '1 more approval' },
    because: ['policy'],
    evidence: [{ title: 'Look', excerpt: `status: 503\nnode:\n  name: ${letter}` }],
    comment_count: letter === 'b' ? 2 : 0,
  }) as unknown as Schema<'WaitingGate'>
const template = (name: string, inputs: Record<string, unknown> = {}) =>
  ({
    pack: 'shop',
    template: name,
    version: '1.0.0',
    digest: 'd',
    title: `Do ${name}`,
    risk: 'high',
    action_types: [],
    inputs,
  }) as unknown as Schema<'PackTemplate'>

async function svc(
  args: string[],
  world: {
    others?: Run[]
    runs?: Run[]
    gates?: Schema<'WaitingGate'>[]
    templates?: Schema<'PackTemplate'>[]
    halts?: Schema<'Halt'>[] | ApiProblem
    total?: number
    width?: number
  } = {},
) {
  const out: string[] = []
  const err: string[] = []
  const asked: unknown[] = []
  const listed = { total: { count: world.total ?? world.runs?.length ?? 0, at_least: false } }
  const api = {
    runs: async (query: object, most: number) => {
      asked.push(query, most)
      const all = Object.keys(query).length === 0 ? world.others : undefined
      return { items: all ?? world.runs ?? [], ...listed }
    },
    gates: async (query: object, most: number) => {
      asked.push(query, most)
      return { items: (world.gates ?? []).slice(0, most), ...listed }
    },
    packs: async () => world.templates ?? [],
    pipelines: async () => ({ items: [] }),
    halts: async () => {
      if (world.halts instanceof ApiProblem) throw world.halts
      return world.halts ?? []
    },
    workspace: async () => 'ws_here',
    users: async () => ({ items: [] }),
    workspaces: async () => ({ items: [] }),
    pendingApproval: () => Promise.reject(new Error('not here')),
    acknowledgeGate: () => Promise.reject(new Error('not here')),
    commentOnGate: () => Promise.reject(new Error('not here')),
    inviteUser: () => Promise.reject(new Error('not here')),
    changeUser: () => Promise.reject(new Error('not here')),
    createWorkspace: () => Promise.reject(new Error('not here')),
    changeWorkspace: () => Promise.reject(new Error('not here')),
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  const screen = () => (world.width === undefined ? undefined : { width: world.width, height: 50 })
  const deps = {
    api: () => api,
    config: () => ({ publicUrl: 'https://svc.example.test' }),
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    screen,
  }
  for (const register of [
    registerRuns,
    registerGates,
    registerPacks,
    registerTemplates,
    registerUsers,
    registerWorkspaces,
  ])
    register(program, deps)
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  await program.parseAsync(args, { from: 'user' })
  return { out, err, asked }
}

test('runs are a table: id, status, template, what about, where, how old', async () => {
  const runs = [run('a'), run('b', { status: 'failed', reason: 'errors after the deploy\u202e' })]
  const { out } = await svc(['runs'], { runs })
  expect(out[0]).toMatch(/^RUN +STATUS +TEMPLATE +ABOUT +ENVIRONMENT +AGE$/)
  expect(out[1]).toMatch(new RegExp(`^${id('a')}  awaiting_approval  shop/drain-node  node=n1 +production   2 h$`))
  expect(out[2]).toContain('errors after the deploy\\u{202e}')
  const wide = await svc(['runs', '-o', 'wide'], { runs, width: 40 })
  expect(wide.out[1]).toMatch(/realtime {2}high {2}alert {4}Ann {2}\$0 {4}2 h$/)
  const narrow = await svc(['runs'], { runs, width: 100, total: 143 })
  expect(narrow.out.every((line) => line.length <= 100)).toBe(true)
  expect(narrow.err).toEqual(['2 of 143 are shown; --limit shows more'])
})

test('runs are narrowed as the route narrows them', async () => {
  const filters = [
    '--status',
    'failed',
    '--lane',
    'realtime',
    '--pack',
    'shop',
    '--template',
    'drain-node',
    '--environment',
    'production',
  ]
  const more = [
    '--trigger',
    'alert',
    '--label',
    'team=shop',
    '-q',
    'node',
    '--until',
    '2026-01-05T10:30+01:00',
    '--limit',
    '7',
  ]
  const { asked } = await svc(['runs', ...filters, ...more])
  expect(asked.slice(0, 2)).toEqual([
    {
      status: 'failed',
      lane: 'realtime',
      pack: 'shop',
      template: 'drain-node',
      environment: 'production',
      trigger: 'alert',
      label: 'team=shop',
      q: 'node',
      until: '2026-01-05T09:30:00.000Z',
    },
    7,
  ])
  for (const flag of ['--mine', '--awaiting-me'])
    expect((await svc(['runs', flag])).asked[0]).toEqual({ awaiting_me: 'true' })
  const [query] = (await svc(['runs', '--since', '2h'])).asked as [{ since: string }]
  expect(Math.abs(Date.parse(query.since) - (Date.now() - 7_200_000))).toBeLessThan(60_000)
  for (const wrong of [
    ['--since', 'soon'],
    ['--limit', '0'],
    ['--lane', 'fast'],
    ['--trigger', 'magic'],
  ])
    await expect(svc(['runs', ...wrong]), wrong.join(' ')).rejects.toMatchObject({ code: 'commander.invalidArgument' })
})

test('gates stand in the order of the API, with the severity of their alerts, and are asked for with no more than is shown', async () => {
  const alert = { title: 'down', severity: 'critical', service: 'shop' } as const
  const gates = [{ ...gate('b'), alert }, gate('a')]
  const { out, asked } = await svc(['gates', '--mine'], { gates })
  expect(asked).toEqual([{ awaiting_me: 'true' }, 20])
  expect(out.map((line) => line.split(/ {2,}/).slice(0, 7))).toEqual([
    ['RUN', 'SEVERITY', 'WAITS', 'DUE', 'TEMPLATE', 'ABOUT', 'WHAT'],
    [id('b'), 'critical', '1 h', 'in 10 min', 'shop/drain-node', 'down', 'drain b'],
    [id('a'), '1 h', 'in 10 min', 'shop/drain-node', 'drain a', 'status: 503 · name: a', 'production'],
  ])
  expect((await svc(['gates', '--limit', '1'], { gates })).out).toHaveLength(2)
})

test('a list that stops at its limit says so on standard error, also in a pipe and beside JSON', async () => {
  for (const flags of [[], ['--json']]) {
    const { err } = await svc(['gates', '--limit', '1', ...flags], { gates: [gate('b'), gate('a')], total: 33 })
    expect(err).toEqual(['1 of 33 is shown; --limit shows more'])
  }
  expect((await svc(['gates'], { gates: [gate('b'), gate('a')], total: 2 })).err).toEqual([])
})

test('packs and templates say what can be started, and with which inputs', async () => {
  const inputs = {
    required: ['node'],
    properties: { force: { type: 'boolean', default: false }, node: { title: 'Which' } },
  }
  const templates = [template('drain-node', inputs), template('reindex')]
  expect((await svc(['packs'], { templates })).out[1]).toBe('shop  1.0.0    drain-node, reindex')
  const { out } = await svc(['templates'], { templates })
  expect(out[1]).toBe('shop/drain-node  high  node [force]  Do drain-node')
  const one = (await svc(['templates', 'shop/drain-node'], { templates })).out.join('\n')
  expect(one).toMatch(/^force {2}boolean {12}false$/m)
  expect(one).toContain('svc run shop/drain-node -i node=…')
  await expect(svc(['templates', 'shop/drain-nod'], { templates })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('did you mean shop/drain-node?'),
  })
})

test('a list is one record a line for programs', async () => {
  const runs = [run('a', { reason: 'x\u202e' }), run('b')]
  for (const form of [['--json'], ['-o', 'json']]) {
    const { out } = await svc(['runs', ...form], { runs, total: 9, width: 80 })
    expect(out.map((line) => JSON.parse(line))).toEqual(runs)
    expect(out.join('')).not.toContain('\u202e')
  }
})

test('a filter that names nothing is answered with what is near', async () => {
  const templates = [template('drain-node')]
  for (const [args, hint] of [
    [['--environment', 'prodution'], '--environment production'],
    [['--template', 'shop/drain-nod'], '--template shop/drain-node'],
    [['--template', 'drain-nod'], '--template drain-node'],
    [['--pack', 'shp'], '--pack shop'],
  ] as const) {
    const { err } = await svc(['runs', ...args], { templates, others: [run('a')] })
    expect(err).toEqual([`no runs match; did you mean ${hint}?`])
  }
})

test('an empty list says what to do next, where somebody reads it', async () => {
  const lists = {
    runs: 'svc templates',
    gates: 'nothing waits',
    packs: 'packs.md',
    templates: 'packs.md',
    users: 'bootstrap',
    workspaces: 'owner',
  }
  for (const [list, next] of Object.entries(lists)) {
    const { out, err } = await svc([list])
    expect({ list, out, err }).toEqual({ list, out: [], err: [expect.stringContaining(next)] })
    expect(await svc([list, '--json'])).toMatchObject({ out: [], err: [] })
  }
})

test('gates and runs begin with the halts in force here, and JSON stays a list', async () => {
  const halt = (scope: object, more: Partial<Schema<'Halt'>> = {}): Schema<'Halt'> => ({
    ...{ id: 'halt_1', scope, reason: 'wrong hosts\u202e', by: { type: 'user', id: 'usr_1', display: 'Ada' } },
    ...{ created_at: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`, held: { runs: 1 } },
    ...{ refused: { starts: 0 }, may_lift: [] },
    ...more,
  })
  const halts = [halt({}), halt({ workspace: 'ws_here', environment: 'production' }), halt({ workspace: 'ws_away' })]
  const first = 'HALTED by Ada since 00:00 UTC (wrong hosts\\u{202e})'
  const second = 'HALTED environment production by Ada since 00:00 UTC (wrong hosts\\u{202e})'
  for (const list of ['gates', 'runs']) {
    const table = await svc([list], { runs: [run('a')], gates: [gate('a')], halts })
    expect(table.out.slice(0, 2)).toEqual([first, second])
    expect(table.out[2]).toMatch(/^RUN/)
    expect((await svc([list], { halts })).out).toEqual([first, second])
    const json = await svc([list, '--json'], { runs: [run('a')], gates: [gate('a')], halts })
    expect(json.err).toEqual([first, second])
    expect(json.out.map((line) => Object.keys(JSON.parse(line)).length > 0)).toEqual([true])
  }
  const many = await svc(['gates'], { halts: Array.from({ length: 7 }, () => halt({})) })
  expect(many.out.at(-1)).toBe('and 2 more: svc halt --list')
  // a key that may read runs and no halts
  const refused = new ApiProblem(403, { code: 'forbidden' })
  expect((await svc(['gates'], { gates: [gate('a')], halts: refused })).out[0]).toMatch(/^RUN/)
})
