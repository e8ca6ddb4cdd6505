import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { executionFailure } from '#activities/index.ts'
import type { GateCommand } from '#core/contract.ts'
import { commandText } from '#core/gate/attribute.ts'
import type { Required } from '#core/gate/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { JsonObject } from '#core/json/json.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createPasswords } from '#platform/password.ts'
import { expireDueGate } from '#services/approvals/expire-gate.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import { reportRefusals } from '#services/refusals/record-refusals.ts'
import { closeRun } from '#services/runs/close-run.ts'
import { recordCancel } from '#services/runs/record-cancel.ts'
import { createRefusals } from '#store/audit/refusals.ts'
import { asJson, createDb } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createUserStore, type UserPatch } from '#store/users.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { type GateOptions, type Parked, parkGate, SHOWN_PLAN } from '#test/support/park-gate.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createRecordDeps, TEST_SEAL } from '#test/support/record-engine.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { addUser } from '#test/support/users.ts'

let deps: RecordDeps
let users: ReturnType<typeof createUserStore>
let identity: { users: typeof users; passwords: ReturnType<typeof createPasswords>; tokens: undefined }

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeAll(async () => {
  deps = createRecordDeps(database.db, { open: false, signals_approve: false })
  users = createUserStore(database.db)
  identity = { users, passwords: createPasswords(), tokens: undefined }
})

const approver = async (rights: UserPatch = {}) => (await addUser({ identity }, { roles: ['approver'], ...rights })).id

async function change(id: string, patch: UserPatch): Promise<void> {
  await users.change(id, () => ({ patch, audit: { ...runDraft().audit, id: ids.next('audit') } }))
}

const park = (required?: Partial<Required>, more?: GateOptions) => parkGate(runs, required, more)

function commandBy({ gate_id }: Parked, by: string, changes: Partial<GateCommand> = {}): GateCommand {
  return {
    ...{ gate_id, decision_id: randomUUID(), kind: 'approve', plan_hash: SHOWN_PLAN, by, display: by, type: 'user' },
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

const report = () =>
  reportRefusals({ ...deps, runs: createRunStore(database.db), refusals: createRefusals(database.db) })

async function claimsOf(runId: string): Promise<{ kind: string; refused: number }[]> {
  return await database.db`select kind, refused from refusals where subject_id = ${runId} order by kind`
}

/** A statement of somebody waits for a lock. */
async function untilBlocked(): Promise<void> {
  const blocked = await poll(async () => {
    const [row] = await database.db<{ waiting: number }[]>`
      select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return row?.waiting ? true : undefined
  }, PATIENCE.timeout)
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

  test('whatever else comes at once, one of approve, reject, dismiss, cancel and expire wins, and the record tells it once', async () => {
    const [ann, bob] = [await approver(), await approver()]
    for (let round = 0; round < 12; round += 1) {
      const parked = await park({}, { expires_at: new Date(Date.now() - 1_000).toISOString() })
      const votes = [
        () => vote(parked, ann),
        () => vote(parked, bob, { kind: 'reject' }),
        () => vote(parked, ann, { kind: 'dismiss' }),
      ]
      const others = [
        () => recordCancel(deps, { ...parked.claim, command: null }),
        () => expireDueGate(deps, { ...parked.claim, gate_id: parked.gate_id }),
      ]
      const under = [...votes, ...others].map((act, n) => ({ act, n: (n + round) % 5 }))
      const answers = await Promise.all(under.sort((a, b) => a.n - b.n).map(({ act }) => act()))
      const status = await statusOf(parked)
      expect(['approved', 'rejected', 'expired', 'cancelled']).toContain(status)
      const taken = answers.filter((answer) => 'resolved' in answer)
      for (const answer of taken) expect(answer).toMatchObject({ resolved: true, status })
      expect(taken.length).toBeLessThanOrEqual(1)
      for (const answer of answers)
        if ('refused' in answer) expect(['gate_resolved', 'run_not_awaiting']).toContain(answer.refused)
      const reported = await database.db`
        select type from run_events where run_id = ${parked.run_id} and type in ('gate.resolved', 'gate.expired')`
      expect(reported).toHaveLength(1)
    }
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
    // what the steps after the gate are told of it are the votes that count
    const taken = await runs.take(parked.run_id)
    if ('refused' in taken) throw new Error(taken.refused)
    const voters = taken.head.gates.flatMap(({ votes = [] }) => votes.map(({ by }) => by))
    const counted = await Promise.all([bob, cem, dora].map(async (id) => (await users.find(id))?.email))
    expect(voters).toEqual(counted)
  })

  test('meets no role of the system by a free name', async () => {
    const [ann, bob] = [await approver({ approval_roles: ['owner'] }), await approver({ roles: ['owner'] })]
    const parked = await park({ approval_roles: [['owner']] })
    // as if the API had signed what the name pretends
    expect(await vote(parked, ann, { roles: ['approver', 'owner'] })).not.toMatchObject({ status: 'approved' })
    expect(await vote(parked, bob, { roles: ['owner'] })).toMatchObject({ status: 'approved' })
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
    const named = { answering_accounts: [bot] }
    const [ann, bob] = [await approver(named), await approver(named)]
    const answer = { via: bot, behind: ['usr_local'] }
    const parked = await park({ approvals: 2 })
    // who is behind it is not on record
    expect(await vote(parked, ann, { via: bot })).toEqual({ refused: 'approver_not_allowed' })
    expect(await vote(parked, ann, answer)).toMatchObject({ approvals: { have: 1, need: 2 } })
    expect(await vote(parked, bob, answer)).toEqual({ refused: 'conflict' })
    expect(await vote(parked, bob)).toMatchObject({ status: 'approved' })
    const own = await park({}, { provenance: { actor: { type: 'service', id: bot, display: 'bot' } } })
    expect(await vote(own, ann, answer)).toEqual({ refused: 'self_approval' })
    expect(await statusOf(own)).toBe('open')
  })

  test('of somebody who approved before may still stop it', async () => {
    const ann = await approver()
    const parked = await park({ approvals: 2 })
    await vote(parked, ann)
    expect(await vote(parked, ann, { kind: 'reject' })).toMatchObject({ status: 'rejected', resolved_by: ann })
  })

  test('with lent roles loses them with their lender’s rights', async () => {
    const [bob, cem] = [await approver(), await approver()]
    const lender = await approver({ approval_roles: ['dba'], delegate_to: bob })
    const parked = await park({ approvals: 2, approval_roles: [['dba', 'approver'], ['dba']] })
    await vote(parked, bob, { delegations: [{ of: lender, roles: ['dba'] }] })
    await change(lender, { roles: ['viewer'] })
    expect(await vote(parked, cem)).toMatchObject({ resolved: false, approvals: { have: 2, need: 2 } })
  })

  test('that comes after the gate’s time expires it, however late its own expiry is', async () => {
    const parked = await park({}, { expires_at: new Date(Date.now() - 1_000).toISOString() })
    expect(await vote(parked, await approver())).toEqual({ refused: 'gate_resolved' })
    expect(await statusOf(parked)).toBe('expired')
  })

  test('that waits for its turn until the gate’s time is over comes after it', async () => {
    const ann = await approver()
    const parked = await park({}, { expires_at: new Date(Date.now() + 1_500).toISOString() })
    const elsewhere = createDb(database.url, { max: 1 })
    const { answer } = await elsewhere.begin(async (sql) => {
      await sql`select from runs where id = ${parked.run_id} for update`
      const voting = vote(parked, ann)
      await untilBlocked()
      await sql`select pg_sleep(greatest(0, extract(epoch from expires_at - clock_timestamp()))) from gates where id = ${parked.gate_id}`
      return { answer: voting }
    })
    expect(await answer).toEqual({ refused: 'gate_resolved' })
    expect(await statusOf(parked)).toBe('expired')
    await elsewhere.end()
  })

  test('whose vote was given for another gate or plan of its run counts at none', async () => {
    const [ann, bob] = [await approver(), await approver()]
    const parked = await park({ approvals: 2 })
    const given = [
      commandBy({ ...parked, gate_id: ids.next('gate') }, ann),
      commandBy(parked, ann, { plan_hash: `sha256:${'c'.repeat(64)}` }),
    ]
    for (const command of given)
      await database.db`
        insert into gate_decisions (gate_id, decision_id, decided_by, decision, channel, auth, command)
        values (${parked.gate_id}, ${command.decision_id}, ${ann}, 'approve', 'api', 'jwt',
          ${database.db.json(asJson(signed(parked.run_id, command)))})`
    expect(await vote(parked, bob)).toMatchObject({ resolved: false, approvals: { have: 1, need: 2 } })
    expect(await vote(parked, ann)).toMatchObject({ status: 'approved' })
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
    ['a name that no database can hold', 'unknown_shape', (parked) => commandBy(parked, 'usr_\0')],
    ['a name that is no text', 'unknown_shape', (parked) => commandBy(parked, 'usr_\ud800')],
    [
      'a gate that no database can hold',
      'unknown_shape',
      (parked, ann) => ({ ...commandBy(parked, ann), gate_id: '\0' }),
    ],
    ['a note without end', 'unknown_shape', (parked, ann) => commandBy(parked, ann, { note: 'x'.repeat(4_001) })],
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

  test('is an approval around the API without the note or the plan that the gate asks for', async () => {
    const guarded = createRecordDeps(database.db, { open: false, signals_approve: true })
    const approve = async (required: Partial<Required>, more: object) => {
      const parked = await park(required)
      const signal = { decision_id: randomUUID(), gate_id: parked.gate_id }
      return await recordDecision(guarded, { ...parked.claim, given: { decision: 'approve', ...more }, signal })
    }
    expect(await approve({ require_note: 'always' }, {})).toEqual({ refused: 'note_required' })
    expect(await approve({ require_note: 'always' }, { note: 'seen' })).toMatchObject({ status: 'approved' })
    expect(await approve({ require_plan_hash: true }, { note: 'seen' })).toEqual({ refused: 'plan_hash_required' })
    const parked = await park({ require_note: 'always', require_plan_hash: true })
    const signal = { decision_id: randomUUID(), gate_id: parked.gate_id }
    expect(await recordDecision(deps, { ...parked.claim, given: { decision: 'reject' }, signal })).toMatchObject({
      status: 'rejected',
    })
  })

  test('by a signal, is taken with as much of its note as there is room for', async () => {
    const parked = await park()
    const signal = { decision_id: 'signal/long/1', gate_id: parked.gate_id }
    const given = { decision: 'reject', note: `${'x'.repeat(1_999)}\u{1f600} and more` }
    expect(await recordDecision(deps, { ...parked.claim, given, signal })).toMatchObject({ status: 'rejected' })
  })

  test('is on record whatever its run is called', async () => {
    await refuseClaim(deps, 'foreign_workflow', 'run_\0\ud800')
    const [audit] = await database.db<{ id: string }[]>`
      select draft #>> '{subject,id}' as id from audit_outbox where draft #>> '{subject,id}' like 'run_\ufffd'`
    expect(audit).toBeDefined()
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

  test('fills neither the log nor the table, however often it comes, and is told as a number each minute', async () => {
    const parked = await park()
    const times = async () =>
      (
        await database.db<{ times: number }[]>`
          select (draft #>> '{data,times}')::int as times from audit_outbox
          where draft ->> 'run_id' = ${parked.run_id} and draft ->> 'action' = 'claim.refused' order by id`
      ).map((each) => each.times)
    for (let n = 0; n < 200; n += 1) await recordDecision(deps, { ...parked.claim, given: { n } })
    expect(await claimsOf(parked.run_id)).toEqual([{ kind: 'unknown_shape', refused: 200 }])
    expect(await times()).toEqual([1])
    await database.db`
      update refusals set reported_at = reported_at - interval '1 minute' where subject_id = ${parked.run_id}`
    await recordDecision(deps, { ...parked.claim, given: null })
    expect(await times()).toEqual([1, 200])
  })

  test('is on record with its number when a flood of it ends', async () => {
    const parked = await park()
    for (let n = 0; n < 5; n += 1) await recordDecision(deps, { ...parked.claim, given: { n } })
    const times = async () => {
      const rows = await database.db<{ times: number }[]>`
        select (draft #>> '{data,times}')::int as times from audit_outbox
        where draft ->> 'run_id' = ${parked.run_id} and draft ->> 'action' = 'claim.refused' order by id`
      return rows.map((row) => row.times)
    }
    await report()
    expect(await times()).toEqual([1])
    await database.db`update refusals set reported_at = reported_at - interval '61 seconds' where subject_id = ${parked.run_id}`
    await report()
    await report()
    expect(await times()).toEqual([1, 4])
    expect(await claimsOf(parked.run_id)).toEqual([{ kind: 'unknown_shape', refused: 5 }])
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
  test('keeps what the engine says of a failure as its claim, in a form that a record can hold', async () => {
    const parked = await park()
    await closeRun(deps, parked.claim, executionFailure(`a\0b\ud800${'x'.repeat(100)}`))
    const [run] = await database.db<{ error: JsonObject }[]>`select error from runs where id = ${parked.run_id}`
    expect(run?.error).toMatchObject({
      code: 'internal',
      message: 'an execution of the run failed for good',
      details: { engine_says: `a\\u{0}b\\u{d800}${'x'.repeat(100)}` },
    })
  })

  test('is a cancellation only where one was recorded', async () => {
    const parked = await park()
    await expect(closeRun(deps, parked.claim, null)).rejects.toThrow('not_cancelling')
    expect(await statusOf(parked)).toBe('open')
    const error = { code: 'engine_lost', message: 'gone' } as const
    expect(await closeRun(deps, parked.claim, error)).toEqual({ status: 'failed' })
    expect(await statusOf(parked)).toBe('cancelled')
    const draft = runDraft()
    await runs.admit([draft])
    const claim = { run_id: draft.id, workspace_id: DEFAULT_WORKSPACE_ID, lane: 'realtime' } as const
    expect(await recordCancel(deps, { ...claim, command: null })).toEqual({ status: 'cancelling' })
    expect(await closeRun(deps, claim, error)).toEqual({ status: 'cancelled' })
  })
})
