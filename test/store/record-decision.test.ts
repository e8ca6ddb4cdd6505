import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { GateCommand } from '#core/contract.ts'
import { commandText } from '#core/gate/command-text.ts'
import type { Required } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createPasswords } from '#platform/password.ts'
import { expireDueGate } from '#services/approvals/expire-due-gate.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import { closeRun } from '#services/runs/close-run.ts'
import { recordCancel } from '#services/runs/record-cancel.ts'
import { createDb } from '#store/db.ts'
import { createRunStore, type RunStore } from '#store/runs.ts'
import { createUserStore, type UserPatch } from '#store/users.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createRecordDeps, TEST_SEAL } from '#test/support/record-engine.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addUser } from '#test/support/users.ts'

const PLAN_HASH = `sha256:${'b'.repeat(64)}`

let database: TestDatabase
let runs: RunStore
let deps: RecordDeps
let users: ReturnType<typeof createUserStore>
let identity: { users: typeof users; passwords: ReturnType<typeof createPasswords>; tokens: undefined }

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  runs = createRunStore(database.db)
  deps = createRecordDeps(database.db, { open: false, signals_approve: false })
  users = createUserStore(database.db)
  identity = { users, passwords: createPasswords(), tokens: undefined }
})
afterAll(() => database.drop())

const approver = async (rights: UserPatch = {}) => (await addUser({ identity }, { roles: ['approver'], ...rights })).id

async function change(id: string, patch: UserPatch): Promise<void> {
  await users.change(id, () => ({ patch, audit: { ...runDraft().audit, id: ids.next('audit') } }))
}

interface Parked {
  run_id: string
  gate_id: string
  claim: { run_id: string; workspace_id: string; lane: 'realtime' }
}

async function park(
  required: Partial<Required> = {},
  more: { provenance?: JsonObject; expires_at?: string } = {},
): Promise<Parked> {
  const draft = runDraft({ provenance: more.provenance ?? {} })
  await runs.admit([draft])
  const taken = await runs.take(draft.id, [{ key: 'run/started', type: 'run.started' }])
  if ('refused' in taken) throw new Error(taken.refused)
  const gate_id = ids.next('gate')
  await runs.record({
    run_id: draft.id,
    fence: taken.recorded.fence,
    gate: {
      ...{ id: gate_id, step_id: 'act', ordinal: 0, attempt: 0, kind: 'approval', plan_hash: PLAN_HASH, view: {} },
      required: { approvals: 1, approval_roles: [], prevent_self: false, ...required },
      expires_at: more.expires_at ?? '2099-01-01T00:00:00.000Z',
    },
  })
  return {
    run_id: draft.id,
    gate_id,
    claim: { run_id: draft.id, workspace_id: DEFAULT_WORKSPACE_ID, lane: 'realtime' },
  }
}

function commandBy({ gate_id }: Parked, by: string, changes: Partial<GateCommand> = {}): GateCommand {
  return {
    ...{ gate_id, decision_id: randomUUID(), kind: 'approve', plan_hash: PLAN_HASH, by, display: by, type: 'user' },
    ...{ roles: ['approver'], channel: 'api', asserted: false, auth: 'jwt', at: new Date().toISOString() },
    ...changes,
  }
}

const signed = (runId: string, command: GateCommand): GateCommand => ({
  ...command,
  signature: TEST_SEAL.sign(commandText(runId, command)),
})

const vote = (parked: Parked, by: string, changes: Partial<GateCommand> = {}, using = deps) =>
  recordDecision(using, { ...parked.claim, given: signed(parked.run_id, commandBy(parked, by, changes)) })

async function statusOf({ gate_id }: Parked): Promise<string | undefined> {
  return (await deps.decisions.read(gate_id))?.status
}

async function claimsOf(runId: string): Promise<{ kind: string; refused: number }[]> {
  return await database.db`select kind, refused from refused_claims where run_id = ${runId} order by kind`
}

/** A statement of somebody waits for a lock. */
async function untilBlocked(): Promise<void> {
  const blocked = await poll(async () => {
    const [row] = await database.db<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return row?.waiting ? true : undefined
  }, 10_000)
  if (blocked !== true) throw new Error('nobody waits')
}

describe('a decision', () => {
  test('of a hundred votes at once each person counts once, and the gate is resolved once', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => approver()))
    const parked = await park({ approvals: 7 })
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => vote(parked, people[n % people.length] ?? '')),
    )
    const taken = answers.filter((answer) => 'status' in answer)
    expect(taken).toHaveLength(7)
    expect(taken.map(({ approvals }) => approvals.have).sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(taken.filter(({ resolved }) => resolved)).toHaveLength(1)
    expect(await statusOf(parked)).toBe('approved')
    const [events] = await database.db<{ count: number }[]>`
      select count(*)::int as count from run_events where run_id = ${parked.run_id} and type = 'gate.resolved'`
    expect(events?.count).toBe(1)
  })

  test('that is repeated is answered with what it came to, and counts once', async () => {
    const [ann, bob] = [await approver(), await approver()]
    const parked = await park({ approvals: 2 })
    const given = signed(parked.run_id, commandBy(parked, ann))
    const first = await recordDecision(deps, { ...parked.claim, given })
    expect(await recordDecision(deps, { ...parked.claim, given })).toEqual(first)
    await vote(parked, bob)
    expect(await recordDecision(deps, { ...parked.claim, given })).toMatchObject({ approvals: { have: 1, need: 2 } })
  })

  test('counts everybody as they stand when the gate would be resolved', async () => {
    const [ann, bob, cem, dora] = [
      await approver(),
      await approver({ approval_roles: ['dba'] }),
      await approver(),
      await approver({ approval_roles: ['dba'] }),
    ]
    const parked = await park({ approvals: 2, approval_roles: [['dba', 'approver'], ['dba']] })
    await vote(parked, ann)
    await change(ann, { status: 'disabled' })
    expect(await vote(parked, bob, { roles: ['approver', 'dba'] })).toMatchObject({ approvals: { have: 1, need: 2 } })
    await change(bob, { approval_roles: [] })
    expect(await vote(parked, cem)).toMatchObject({ resolved: false, approvals: { have: 2, need: 2 } })
    expect(await vote(parked, dora, { roles: ['approver', 'dba'] })).toMatchObject({ status: 'approved' })
  })

  test('waits for a change of a voter that is under way, and counts what comes of it', async () => {
    const [ann, bob] = [await approver(), await approver()]
    const parked = await park({ approvals: 2 })
    await vote(parked, ann)
    const elsewhere = createDb(database.url, { max: 1 })
    const { answer } = await elsewhere.begin(async (sql) => {
      await sql`update users set status = 'disabled' where id = ${ann}`
      const voting = vote(parked, bob)
      await untilBlocked()
      return { answer: voting }
    })
    expect(await answer).toMatchObject({ resolved: false, approvals: { have: 1, need: 2 } })
    await elsewhere.end()
  })

  test('through one service account is one hand, and never its own request', async () => {
    const bot = (await addUser({ identity }, { roles: ['service'], scopes: ['approvals:on_behalf'] })).id
    const [ann, bob] = [await approver(), await approver()]
    const parked = await park({ approvals: 2 })
    expect(await vote(parked, ann, { via: bot })).toMatchObject({ approvals: { have: 1, need: 2 } })
    expect(await vote(parked, bob, { via: bot })).toEqual({ refused: 'conflict' })
    expect(await vote(parked, bob)).toMatchObject({ status: 'approved' })
    const own = await park({}, { provenance: { actor: { type: 'service', id: bot, display: 'bot' } } })
    expect(await vote(own, ann, { via: bot })).toEqual({ refused: 'self_approval' })
    expect(await statusOf(own)).toBe('open')
  })

  test('of somebody who approved before may still stop it', async () => {
    const ann = await approver()
    const parked = await park({ approvals: 2 })
    await vote(parked, ann)
    expect(await vote(parked, ann, { kind: 'reject' })).toMatchObject({ status: 'rejected', resolved_by: ann })
  })

  test('whose vote was changed on record is not counted by its columns', async () => {
    const [ann, bob] = [await approver(), await approver()]
    const parked = await park({ approvals: 2 })
    await database.db`
      insert into gate_decisions (gate_id, decision_id, decided_by, decision, channel, auth)
      values (${parked.gate_id}, ${randomUUID()}, ${ann}, 'approve', 'api', 'jwt')`
    expect(await vote(parked, bob)).toMatchObject({ resolved: false, approvals: { have: 1, need: 2 } })
  })
})

describe('what the record does not bear out', () => {
  test.each<[string, string, (parked: Parked, ann: string) => unknown]>([
    ['another signature', 'bad_signature', (parked, ann) => ({ ...commandBy(parked, ann), signature: 'c2lnbmVk' })],
    [
      'a signature for another run',
      'bad_signature',
      (parked, ann) => signed('run_00000000000000000000000000', commandBy(parked, ann)),
    ],
    [
      'a signature over another plan',
      'plan_changed',
      (parked, ann) => signed(parked.run_id, commandBy(parked, ann, { plan_hash: `sha256:${'c'.repeat(64)}` })),
    ],
    ['no signature', 'not_signed', (parked, ann) => commandBy(parked, ann)],
    ['a dismissal without a signature', 'not_signed', (parked, ann) => commandBy(parked, ann, { kind: 'dismiss' })],
    ['no kind', 'unknown_shape', ({ gate_id }) => ({ gate_id, decision: 'approve', by: 'usr_ceo' })],
    ['a kind that there is not', 'unknown_shape', (parked, ann) => ({ ...commandBy(parked, ann), kind: 'expire' })],
    ['more than there is', 'unknown_shape', (parked, ann) => ({ ...commandBy(parked, ann), resolution: 'approved' })],
    ['nothing at all', 'unknown_shape', () => null],
    ['a gate of nobody', 'foreign_gate', (parked, ann) => commandBy({ ...parked, gate_id: ids.next('gate') }, ann)],
    ['somebody who may not decide', 'not_allowed', (parked) => signed(parked.run_id, commandBy(parked, 'usr_ceo'))],
  ])('%s changes nothing, and is on record', async (_, kind, given) => {
    const ann = await approver()
    const parked = await park()
    expect(await recordDecision(deps, { ...parked.claim, given: given(parked, ann) })).toHaveProperty('refused')
    expect(await statusOf(parked)).toBe('open')
    expect(await claimsOf(parked.run_id)).toEqual([{ kind, refused: 1 }])
    const audit = await database.db<{ kind: string; actor: JsonObject }[]>`
      select draft #>> '{data,kind}' as kind, draft -> 'actor' as actor from audit_outbox
      where draft ->> 'run_id' = ${parked.run_id} and draft ->> 'action' = 'claim.refused'`
    expect(audit).toEqual([{ kind, actor: { type: 'system', id: 'temporal', auth: 'none' } }])
  })

  test('is a gate of another run, another workspace or no run', async () => {
    const ann = await approver()
    const [one, other] = [await park(), await park()]
    const given = signed(one.run_id, commandBy({ ...one, gate_id: other.gate_id }, ann))
    expect(await recordDecision(deps, { ...one.claim, given })).toEqual({ refused: 'gate_resolved' })
    const foreign = { ...one.claim, workspace_id: 'ws_00000000000000000000000001' }
    expect(await recordDecision(deps, { ...foreign, given })).toEqual({ refused: 'not_found' })
    const nobody = { ...one.claim, run_id: 'run_00000000000000000000000000' }
    expect(await recordDecision(deps, { ...nobody, given })).toEqual({ refused: 'not_found' })
    expect([await statusOf(one), await statusOf(other)]).toEqual(['open', 'open'])
    expect(await claimsOf('')).toContainEqual({ kind: 'unknown_run', refused: 1 })
  })

  test('fills neither the log nor the table, however often it comes', async () => {
    const parked = await park()
    for (let n = 0; n < 200; n += 1) await recordDecision(deps, { ...parked.claim, given: { n } })
    expect(await claimsOf(parked.run_id)).toEqual([{ kind: 'unknown_shape', refused: 200 }])
    const [audit] = await database.db<{ count: number }[]>`
      select count(*)::int as count from audit_outbox where draft ->> 'run_id' = ${parked.run_id} and draft ->> 'action' = 'claim.refused'`
    expect(audit?.count).toBe(1)
  })
})

describe('a rejection or a cancellation without a signature', () => {
  test('is that of somebody with access to the engine, whoever it says it is', async () => {
    const ceo: Partial<GateCommand> = { type: 'user', roles: ['owner'], channel: 'api', asserted: false, auth: 'jwt' }
    const rejected = await park()
    const given = commandBy(rejected, 'usr_ceo', { ...ceo, kind: 'reject' })
    expect(await recordDecision(deps, { ...rejected.claim, given })).toMatchObject({
      ...{ status: 'rejected', resolved_by: 'temporal', channel: 'temporal' },
    })
    const cancelled = await park()
    const command = { ...ceo, by: 'usr_ceo', display: 'The CEO', decision_id: randomUUID() }
    expect(await recordCancel(deps, { ...cancelled.claim, command })).toEqual({ status: 'cancelled' })
    const actors = await database.db<{ actor: JsonObject }[]>`
      select draft -> 'actor' as actor from audit_outbox
      where draft ->> 'run_id' in (${rejected.run_id}, ${cancelled.run_id}) and draft ->> 'action' like 'gate.%' and draft ->> 'action' <> 'gate.opened'`
    expect(actors.map(({ actor }) => actor)).toEqual(Array(2).fill({ type: 'system', id: 'temporal', auth: 'none' }))
  })
})

describe('an expiry', () => {
  test('comes when the clock of the record says so, and not before', async () => {
    const early = await park({}, { expires_at: new Date(Date.now() + 60_000).toISOString() })
    const answer = await expireDueGate(deps, { ...early.claim, gate_id: early.gate_id })
    expect(answer.status).toBe('open')
    expect(answer.remaining_ms).toBeGreaterThan(50_000)
    const late = await park({}, { expires_at: new Date(Date.now() - 1_000).toISOString() })
    const claim = { ...late.claim, gate_id: late.gate_id }
    expect(await Promise.all([expireDueGate(deps, claim), expireDueGate(deps, claim)])).toEqual(
      Array(2).fill({ status: 'expired', remaining_ms: 0 }),
    )
  })
})

describe('the end of a run', () => {
  test('is a cancellation only where one was recorded', async () => {
    const parked = await park()
    await expect(closeRun(deps, parked.claim, null)).rejects.toThrow('not_cancelling')
    expect(await statusOf(parked)).toBe('open')
    const error = { code: 'engine_lost', message: 'gone' }
    expect(await closeRun(deps, parked.claim, error)).toEqual({ status: 'failed' })
    expect(await statusOf(parked)).toBe('cancelled')
    const draft = runDraft()
    await runs.admit([draft])
    const claim = { run_id: draft.id, workspace_id: DEFAULT_WORKSPACE_ID, lane: 'realtime' } as const
    expect(await recordCancel(deps, { ...claim, command: null })).toEqual({ status: 'cancelling' })
    expect(await closeRun(deps, claim, error)).toEqual({ status: 'cancelled' })
  })
})
