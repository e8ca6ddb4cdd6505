import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { candidates, type Names } from '#cli/completion/candidates.ts'
import { SCRIPTS, SHELLS } from '#cli/completion/scripts.ts'
import type { CliDeps } from '#cli/deps.ts'
import { createProgram } from '#cli/program.ts'
import { RUN_STATUSES } from '#core/run/status.ts'

const words = (...all: string[]) => Promise.resolve(all.map((word) => ({ word })))
const NAMES: Names = {
  runs: () => words('run_1', 'run_2'),
  templates: () => words('shop/drain-node', 'sre/service-recovery'),
  packs: () => words('shop', 'sre'),
  environments: () => words('production', 'staging'),
  profiles: () => words('careful', 'default'),
  models: () => words('default', 'small'),
  corpora: () => words('runbooks'),
  presets: (template) => words(`${template}-usual`),
  workspaces: () => words('default', 'payments'),
  users: () => words('ann@example.test'),
  keys: () => words('key_1'),
  connections: () => words('billing-api'),
  schedules: () => words('sch_1'),
  pipelines: () => words('pl_1'),
  bundles: () => words('data/release', 'nightly'),
  pipelinesOf: (bundle) => words(`${bundle}-one`),
  pipelineInputs: (bundle, name) => words(`${bundle}:${name ?? 'any'}=`),
  steps: (id) => words(`${id}-step`),
  inputs: (template) => (template === 'shop/drain-node' ? words('node=', 'force=') : words()),
}
const PROGRAM = createProgram({ description: 'x', version: '1' }, {} as CliDeps)

async function complete(...typed: string[]) {
  return (await candidates(PROGRAM, typed, NAMES)).map(({ word }) => word)
}

describe('what may stand at the cursor', () => {
  test('is a command, and of its kind a command below it', async () => {
    const all = await complete('')
    for (const name of [
      'runs',
      'run',
      'gates',
      'packs',
      'templates',
      'cancel',
      'expire',
      'users',
      'workspaces',
      'logs',
    ])
      expect(all).toContain(name)
    expect(all).not.toContain('complete')
    expect(await complete('rem')).toEqual(['remote'])
    expect(await complete('remote', '')).toEqual(['approve', 'reject', 'help'])
  })

  test('is an option of that command', async () => {
    expect(await complete('expire', '--')).toEqual(['--json', '--workspace', '--reason', '--help'])
    expect(await complete('run', 'show', '--st')).toEqual(['--step'])
    expect(await complete('run', '--detach', '--inp')).toEqual(['--input', '--inputs'])
  })

  test('is a value of the option before it', async () => {
    expect(await complete('runs', '--lane', '')).toEqual(['realtime', 'background'])
    expect(await complete('runs', '-o', 'w')).toEqual(['wide'])
    expect(await complete('runs', '--status', '')).toEqual([...RUN_STATUSES])
    expect(await complete('runs', '--workspace', 'p')).toEqual(['payments'])
    expect(await complete('run', '--environment', 'prod')).toEqual(['production'])
    expect(await complete('login', '--email', '')).toEqual([])
  })

  test('is a bundle, a pipeline of it, an input, a pipeline that was started, or a step of it', async () => {
    expect(await complete('pipeline', '')).toEqual(
      expect.arrayContaining(['run', 'list', 'show', 'watch', 'advance', 'approve', 'cancel', 'lint']),
    )
    expect(await complete('pipeline', 'run', 'n')).toEqual(['nightly'])
    expect(await complete('pipeline', 'run', 'nightly', '')).toEqual(['nightly-one'])
    expect(await complete('pipeline', 'run', 'nightly', '-i', '')).toEqual(['nightly:any='])
    expect(await complete('pipeline', 'run', 'nightly', 'one', '-i', '')).toEqual(['nightly:one='])
    for (const verb of ['show', 'watch', 'advance', 'approve', 'cancel'])
      expect(await complete('pipeline', verb, '')).toEqual(['pl_1'])
    for (const verb of ['advance', 'approve'])
      expect(await complete('pipeline', verb, 'pl_1', '')).toEqual(['pl_1-step'])
    expect(await complete('pipeline', 'list', '--status', 'b')).toEqual(['blocked'])
    expect(await complete('runs', '--pipeline', '')).toEqual(['pl_1'])
  })

  test('is a name that the service knows', async () => {
    expect(await complete('run', '')).toEqual(['show', 'shop/drain-node', 'sre/service-recovery'])
    expect(await complete('run', 'shop/')).toEqual(['shop/drain-node'])
    for (const typed of [['run', 'show'], ['cancel'], ['logs', '-f'], ['remote', 'approve'], ['lineage']])
      expect(await complete(...typed, 'run_'), typed.join(' ')).toEqual(['run_1', 'run_2'])
    expect(await complete('cancel', 'run_1', '')).toEqual([])
  })

  test('is an input of the template that was named', async () => {
    expect(await complete('run', 'shop/drain-node', '-i', '')).toEqual(['node=', 'force='])
    expect(await complete('run', 'shop/drain-node', '-i', 'node', '=', 'a', '-i', 'f')).toEqual(['force='])
    expect(await complete('run', '-i', 'url', '=', 'http', ':', '//a', 'sre/')).toEqual(['sre/service-recovery'])
  })

  test('is what svc ask takes', async () => {
    expect(await complete('ask', '')).toEqual(['plan', 'run'])
    expect(await complete('ask', 'plan', 's')).toEqual(['shop/drain-node', 'sre/service-recovery'])
    expect(await complete('ask', 'plan', 'shop/drain-node', '-i', 'n')).toEqual(['node='])
    expect(await complete('ask', 'plan', 'shop/drain-node', '--config-preset', '')).toEqual(['shop/drain-node-usual'])
    expect(await complete('ask', 'run', 'drain it', '--model', 's')).toEqual(['small'])
    expect(await complete('ask', 'run', '--profile', 'c')).toEqual(['careful'])
    expect(await complete('run', '--pl')).toEqual(['--plan', '--plan-hash'])
  })
})

/** Every command that is shown, by the words that name it. */
function commandsOf(command: Command, path: string[] = []): { command: Command; path: string[] }[] {
  const below = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help')
  return [{ command, path }, ...below.flatMap((each) => commandsOf(each, [...path, each.name()]))]
}

/** Texts, numbers, files and names that are new: nobody can say what stands there. */
const FREE = {
  arguments: [
    'question',
    'intent',
    'cron',
    'name',
    'id',
    'email',
    'slug',
    'message-ids',
    'dir',
    'directory',
    'path',
    'changes',
    'reference',
    'account',
  ],
  options: [
    ['--reason', '--note', '--email', '--name', '--query', '--label', '--thread', '--account', '--as'],
    [
      '--plan',
      '--plan-hash',
      '--bundle-digest',
      '--digest',
      '--inputs',
      '--inputs-file',
      '--file',
      '--out',
      '--verify',
      '--log',
      '--gate',
      '--lift',
      '--refused',
      '--start',
      '--requester',
    ],
    ['--since', '--until', '--from', '--to', '--limit', '--port', '--timezone', '--days', '--catchup', '--jitter'],
    [
      '--base-url',
      '--key',
      '--price-in',
      '--price-out',
      '--price-cached-in',
      '--price-cache-write',
      '--context',
      '--output',
      '--timeout',
    ],
    [
      '--refused',
      '--start',
      '--scope',
      '--approval-role',
      '--add-approval-role',
      '--remove-approval-role',
      '--realtime',
      '--background',
    ],
    ['--secret-file', '--set'],
    ['--dir', '--daily-usd', '--channel', '--state', '--step', '--subscriber', '--folder', '--entry'],
  ].flat(),
}

describe('completion is complete', () => {
  test.each(commandsOf(PROGRAM).map((each) => [each.path.join(' ') || 'svc', each] as const))(
    '%s: every command below it and every option that it has',
    async (_, { command, path }) => {
      const below = command
        .createHelp()
        .visibleCommands(command)
        .map((each) => each.name())
      expect(await complete(...path, '')).toEqual(expect.arrayContaining(below))
      const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? [])
      expect(await complete(...path, '--')).toEqual([...options, '--help'])
    },
  )

  test('and what stands behind an option or in the place of an argument is offered, or is free', async () => {
    const silent: string[] = []
    for (const { command, path } of commandsOf(PROGRAM)) {
      for (const { long, hidden, required, optional } of command.options) {
        if (hidden || !(required || optional) || long === undefined || FREE.options.includes(long)) continue
        const offered = await complete(...path, 'shop/drain-node', long, '')
        if (offered.length === 0) silent.push(`${path.join(' ')} ${long}`)
      }
      const [first] = command.registeredArguments
      if (first === undefined || FREE.arguments.includes(first.name())) continue
      if ((await complete(...path, '')).length === 0) silent.push(`${path.join(' ')} <${first.name()}>`)
    }
    expect(silent).toEqual([])
    const all = commandsOf(PROGRAM).map(({ command }) => command)
    const known = all.flatMap(({ options, registeredArguments }) => [
      ...options.map(({ long }) => long),
      ...registeredArguments.map((each) => each.name()),
    ])
    expect([...FREE.arguments, ...FREE.options].filter((name) => !known.includes(name))).toEqual([])
  })

  test.each(SHELLS)('and %s hands the whole line to it', (shell) => {
    expect(SCRIPTS[shell]).toMatch(/complete -- /)
    expect(SCRIPTS[shell]).toContain('svc')
  })
})
