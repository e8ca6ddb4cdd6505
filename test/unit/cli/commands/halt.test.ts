import { Command } from 'commander'
import { expect, test } from 'vitest'
import { registerHalt } from '#cli/commands/halt.ts'
import type { Schema } from '#client/create-client.ts'

const HALT: Schema<'Halt'> = {
  id: 'halt_1',
  scope: {},
  reason: 'a drill\u202e',
  by: { type: 'user', id: 'usr_1', display: 'Ann' },
  created_at: '2026-01-05T09:30:00.000Z',
  held: { runs: 1 },
  refused: { starts: 0 },
  may_lift: ['Ann', 'Bob\u202e'],
}

const WORKSPACE = `ws_${'0'.repeat(25)}b`
const SECOND = `ws_${'0'.repeat(25)}c`

/** As an owner of all workspaces, or as somebody else. */
const svc = (...args: string[]) => svcAs({ roles: ['owner'], workspaces: ['*'] }, ...args)

const ME: Schema<'User'> = {
  ...{ id: 'usr_1', account_id: 'acc_1', roles: [], approval_roles: [], scopes: [], workspaces: [], status: 'active' },
}

const refusal = (id: string, more: Partial<Schema<'RefusedStart'>>): Schema<'RefusedStart'> => ({
  ...{ id, workspace_id: WORKSPACE, trigger: 'alert', title: 'checkout answers 503\u202e', template: 'sre/recover' },
  ...{ environment: 'production', requested_by: 'alertmanager', refused: 1 },
  ...{ first_at: '2026-01-05T09:30:00.000Z', last_at: '2026-01-05T09:31:00.000Z' },
  ...more,
})
const REFUSED = [
  refusal('hrf_1', {
    refused: 3,
    start: { operation: 'receiveAlerts', method: 'POST', path: '/triggers/alert?source=generic', body: {} },
  }),
  refusal('hrf_2', { run_id: 'run_2' }),
  refusal('hrf_3', { trigger: 'manual' }),
]

const svcAs = (me: { roles: string[]; workspaces: string[] }, ...args: string[]) => svcWith([], me, ...args)

/** Prints into `lines`, which are there after a refusal too. */
async function svcWith(lines: string[], me: { roles: string[]; workspaces: string[] }, ...args: string[]) {
  const calls: unknown[] = []
  const api = {
    halts: async () => [HALT],
    me: async () => ({ ...ME, ...me }),
    workspace: async () => WORKSPACE,
    workspaces: async () => ({
      items: [
        { id: WORKSPACE, slug: 'shop', name: 'Shop' },
        { id: SECOND, slug: 'payments', name: 'Payments\u202e' },
      ] as Schema<'Workspace'>[],
    }),
    setHalt: async (draft: Schema<'HaltDraft'>) => {
      calls.push(draft)
      if (draft.scope?.environment === 'not-there' && draft.scope.workspace === SECOND) throw new Error('not granted')
      return { ...HALT, scope: draft.scope ?? {} }
    },
    refusedStarts: async (_id: string, most: number) => ({
      items: REFUSED.slice(0, most),
      total: { count: REFUSED.length, at_least: false },
    }),
    startRefused: async ({ id }: Schema<'RefusedStart'>) => {
      calls.push(id)
      return { id: 'run_1' }
    },
    liftHalt: async (id: string) => void calls.push(id),
  }
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  program.command('other')
  const out = (line: string) => void lines.push(line)
  const apiIn = (workspace?: string) => {
    if (workspace !== undefined) calls.push(workspace)
    return api
  }
  registerHalt(program, { api: apiIn, out, err: out })
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined })
  await program.parseAsync(['halt', ...args], { from: 'user' })
  return { calls, lines }
}

test('halts everything, or what its options narrow it to', async () => {
  expect((await svc('--reason', 'why')).calls).toEqual([{ scope: {}, reason: 'why' }])
  const narrow = ['--workspace', 'shop', '--environment', 'production', '--template', 'a/b', '--requester', 'usr_2']
  const { calls, lines } = await svc('--reason', 'why', ...narrow)
  const scope = { environment: 'production', template: 'a/b', requester: 'usr_2', workspace: WORKSPACE }
  expect(calls).toEqual([{ scope, reason: 'why' }])
  expect(lines[0]).toContain('workspace Shop, environment production, template a/b, requester usr_2  1 run  Ann')
  expect(lines[1]).toContain('svc halt --lift halt_1')
  await expect(svc('--reason', 'why', '--workspace', 'shpo')).rejects.toMatchObject({ code: 'not_found' })
})

test('halts the workspace of one who may not halt everything, says so, and names who can lift it', async () => {
  for (const roles of [['approver'], ['operator']]) {
    const { calls, lines } = await svcAs(
      { roles, workspaces: [WORKSPACE] },
      '--reason',
      'why',
      '--environment',
      'production',
    )
    expect(calls).toEqual([{ scope: { environment: 'production', workspace: WORKSPACE }, reason: 'why' }])
    expect(lines[0]).toContain('workspace Shop, environment production  1 run')
    expect(lines[1]).toContain('you cannot lift it; ask Ann, Bob\\u{202e}')
    expect(lines[2]).toBe('  it covers your workspace; others continue')
  }
  const { lines } = await svcAs({ roles: ['admin'], workspaces: [WORKSPACE] }, '--reason', 'why')
  expect(lines.slice(1).join(' ')).toMatch(/svc halt --lift halt_1.*your workspace;/)
})

test('halts each workspace of one who is in several, with a result for each, whichever one works in', async () => {
  const bob = { roles: ['approver'], workspaces: [WORKSPACE, SECOND] }
  const { calls, lines } = await svcAs(bob, '--reason', 'why')
  expect(calls).toEqual([WORKSPACE, SECOND].map((workspace) => ({ scope: { workspace }, reason: 'why' })))
  expect(lines.filter((line) => line.startsWith('halt_1'))).toEqual([
    expect.stringContaining('workspace Shop  1 run'),
    expect.stringContaining('workspace Payments\\u{202e}  1 run'),
  ])
  expect(lines.at(-1)).toBe('  it covers your 2 workspaces; others continue')
  const json = await svcAs(bob, '--reason', 'why', '--json')
  expect(json.lines.map((line) => JSON.parse(line).scope.workspace)).toEqual([WORKSPACE, SECOND])
  const named = await svcAs(bob, '--reason', 'why', '--workspace', 'shop')
  expect(named.calls).toEqual([{ scope: { workspace: WORKSPACE }, reason: 'why' }])
})

test('says which workspaces it could not halt, and why, beside those that it has halted', async () => {
  const printed: string[] = []
  const bob = { roles: ['approver'], workspaces: [WORKSPACE, SECOND] }
  const args = ['--reason', 'why', '--environment', 'not-there']
  await expect(svcWith(printed, bob, ...args)).rejects.toMatchObject({ message: '1 of 2 workspaces are not halted' })
  expect(printed[0]).toContain('workspace Shop, environment not-there  1 run')
  expect(printed.at(-1)).toBe('not halted: workspace Payments\\u{202e}, environment not-there: not granted')
})

test('lists what is in force, and lifts it', async () => {
  expect((await svc('--list')).lines).toEqual([
    'halt_1  everything  1 run  Ann  2026-01-05T09:30:00.000Z  a drill\\u{202e}',
  ])
  expect(JSON.parse((await svc('--list', '--json')).lines[0] ?? '')).toEqual([HALT])
  expect(await svc('--lift', 'halt_1')).toEqual({ calls: ['halt_1'], lines: ['halt_1  lifted; held runs continue'] })
})

test('lists what a halt has refused with the command that starts each, and starts one', async () => {
  const { lines } = await svc('--refused', 'halt_1')
  expect(lines[0]).toMatch(
    /^hrf_1 {2}alert {2}checkout answers 503\\u\{202e\} {2}sre\/recover {2}production {2}alertmanager {2}3 times, last .*09:31 UTC$/,
  )
  expect(lines[1]).toContain('start it with: svc halt --refused halt_1 --start hrf_1')
  expect(lines[3]).toContain('started since: run_2')
  expect(lines[5]).toContain('start it with: svc run sre/recover --environment production -i …')
  expect((await svc('--refused', 'halt_1', '--json')).lines.map((line) => JSON.parse(line).id)).toEqual([
    'hrf_1',
    'hrf_2',
    'hrf_3',
  ])
  // in the workspace that it belongs to
  expect(await svc('--refused', 'halt_1', '--start', 'hrf_1')).toEqual({
    calls: [WORKSPACE, 'hrf_1'],
    lines: ['{"id":"run_1"}'],
  })
  await expect(svc('--refused', 'halt_1', '--start', 'hrf_9')).rejects.toMatchObject({ code: 'not_found' })
  await expect(svc('--start', 'hrf_1')).rejects.toMatchObject({ code: 'validation_failed' })
})

test('does nothing without a reason, and not two things at once', async () => {
  await expect(svc()).rejects.toMatchObject({ code: 'validation_failed' })
  for (const both of [
    ['--list', '--lift', 'halt_1'],
    ['--list', '--reason', 'why'],
    ['--lift', 'halt_1', '--reason', 'why'],
  ])
    await expect(svc(...both)).rejects.toMatchObject({ code: 'commander.conflictingOption' })
})

test('says where the list of what a halt refused stops, and starts what is further down all the same', async () => {
  const { lines } = await svc('--refused', 'halt_1', '--limit', '1')
  expect(lines).toHaveLength(3)
  expect(lines.at(-1)).toContain('1 of 3 is shown; --limit shows more')
  expect((await svc('--refused', 'halt_1', '--limit', '2', '--json')).lines.at(-1)).toContain('2 of 3 are shown')
  expect((await svc('--refused', 'halt_1')).lines.join(' ')).not.toContain('shown')
  expect((await svc('--refused', 'halt_1', '--limit', '1', '--start', 'hrf_3')).calls).toContain('hrf_3')
})
