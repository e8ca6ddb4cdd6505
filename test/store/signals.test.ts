import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { GateOutcome, GateSignal, RefusedCommand, RunClaim } from '#core/contract.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import type { RecordDeps } from '#services/approvals/record-deps.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { beginRun, openGate, type Parked, parkGate } from '#test/support/park-gate.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'

/** authentication is on; the access to the engine is said to be guarded */
let guarded: RecordDeps
let unguarded: RecordDeps

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeAll(async () => {
  guarded = createRecordDeps(database.db, { open: false, signals_approve: true })
  unguarded = createRecordDeps(database.db, { open: false, signals_approve: false })
})

/** A signal as the workflow of a run brings it, with the gate that the run waited on when it came. */
function signal(
  claim: RunClaim,
  given: GateSignal,
  { waitsOn = null, deps = guarded }: { waitsOn?: string | null; deps?: RecordDeps } = {},
): Promise<GateOutcome | RefusedCommand> {
  return recordDecision(deps, { ...claim, given, signal: { decision_id: randomUUID(), gate_id: waitsOn } })
}

async function statusOf({ gate_id }: Parked): Promise<string | undefined> {
  return (await guarded.decisions.read(gate_id))?.status
}

async function claimsOf({ run_id }: RunClaim): Promise<string[]> {
  const rows = await database.db<{ kind: string }[]>`
    select draft #>> '{data,kind}' as kind from audit_outbox
    where draft ->> 'run_id' = ${run_id} and draft ->> 'action' = 'claim.refused'`
  return rows.map(({ kind }) => kind)
}

/** A run whose first gate was approved and whose second is open. */
async function secondGate(): Promise<{ first: Parked; second: Parked }> {
  const first = await parkGate(runs)
  await signal(first.claim, { decision: 'approve' }, { waitsOn: first.gate_id })
  return { first, second: await openGate(runs, first.claim) }
}

describe('a signal that names no gate', () => {
  test('means the gate that the run waits on', async () => {
    const { second } = await secondGate()
    expect(await signal(second.claim, { decision: 'approve' }, { waitsOn: second.gate_id })).toMatchObject({
      ...{ gate_id: second.gate_id, status: 'approved', resolved_by: 'temporal', channel: 'temporal' },
    })
  })

  test('means the first gate of its run, when that can be read and the run does not know of it', async () => {
    const parked = await parkGate(runs)
    expect(await signal(parked.claim, { decision: 'reject', note: 'no' })).toMatchObject({ status: 'rejected' })
    expect(await statusOf(parked)).toBe('rejected')
  })

  test('is refused on record after another gate: it may be the answer to that one, sent twice', async () => {
    const { second } = await secondGate()
    expect(await signal(second.claim, { decision: 'approve' })).toEqual({ refused: 'run_not_awaiting' })
    expect(await statusOf(second)).toBe('open')
    expect(await claimsOf(second.claim)).toEqual(['not_awaiting'])
  })

  test('is refused on record while there is no gate, and says nothing about the one that opens next', async () => {
    const claim = await beginRun(runs)
    expect(await signal(claim, { decision: 'approve' })).toEqual({ refused: 'run_not_awaiting' })
    expect(await statusOf(await openGate(runs, claim))).toBe('open')
    expect(await claimsOf(claim)).toEqual(['not_awaiting'])
  })

  test('is refused when the gate that the run waited on has ended, also while another is open', async () => {
    const { first, second } = await secondGate()
    expect(await signal(first.claim, { decision: 'reject' }, { waitsOn: first.gate_id })).toEqual({
      refused: 'gate_resolved',
    })
    expect(await statusOf(second)).toBe('open')
  })
})

describe('a signal that names its gate', () => {
  test('decides it, also after another gate and before the run knows of it', async () => {
    const { second } = await secondGate()
    expect(await signal(second.claim, { decision: 'approve', gate_id: second.gate_id })).toMatchObject({
      ...{ gate_id: second.gate_id, status: 'approved' },
    })
  })

  test('decides no other gate, whichever the run waits on', async () => {
    const [one, other] = [await parkGate(runs), await parkGate(runs)]
    const given: GateSignal = { decision: 'approve', gate_id: other.gate_id }
    expect(await signal(one.claim, given, { waitsOn: one.gate_id })).toEqual({ refused: 'gate_resolved' })
    expect([await statusOf(one), await statusOf(other)]).toEqual(['open', 'open'])
    expect(await claimsOf(one.claim)).toEqual(['foreign_gate'])
  })
})

describe('with authentication on, a signal', () => {
  test('approves nothing and stops everything, unless the access to the engine is guarded', async () => {
    const parked = await parkGate(runs)
    const given = { waitsOn: parked.gate_id, deps: unguarded }
    expect(await signal(parked.claim, { decision: 'approve' }, given)).toEqual({ refused: 'approver_not_allowed' })
    expect(await statusOf(parked)).toBe('open')
    expect(await claimsOf(parked.claim)).toEqual(['not_signed'])
    expect(await signal(parked.claim, { decision: 'reject' }, given)).toMatchObject({ status: 'rejected' })
  })

  test('is one vote where it may approve, however many are sent', async () => {
    const parked = await parkGate(runs, { approvals: 2 })
    const approve = () => signal(parked.claim, { decision: 'approve' }, { waitsOn: parked.gate_id })
    expect(await approve()).toMatchObject({ status: 'open', approvals: { have: 1, need: 2 } })
    expect(await approve()).toEqual({ refused: 'conflict' })
    expect(await statusOf(parked)).toBe('open')
  })

  test('keeps the rules of its gate: a note where one is asked for, and no approval of a plan it does not name', async () => {
    const noted = await parkGate(runs, { require_note: 'always' })
    expect(await signal(noted.claim, { decision: 'approve' }, { waitsOn: noted.gate_id })).toEqual({
      refused: 'note_required',
    })
    const given: GateSignal = { decision: 'approve', note: 'agreed on the phone' }
    expect(await signal(noted.claim, given, { waitsOn: noted.gate_id })).toMatchObject({ status: 'approved' })
    const hashed = await parkGate(runs, { require_plan_hash: true })
    expect(await signal(hashed.claim, given, { waitsOn: hashed.gate_id })).toEqual({ refused: 'plan_hash_required' })
    expect(await statusOf(hashed)).toBe('open')
  })
})

test('nothing is written at the gate of a run that is over', async () => {
  const parked = await parkGate(runs)
  await database.db`update runs set status = 'failed', error = '{"code": "x"}', awaiting_since = null, ended_at = now()
    where id = ${parked.run_id}`
  expect(await signal(parked.claim, { decision: 'approve' }, { waitsOn: parked.gate_id })).toEqual({
    refused: 'run_not_awaiting',
  })
  expect(await guarded.decisions.read(parked.gate_id)).toMatchObject({ status: 'open', answers: [] })
})
