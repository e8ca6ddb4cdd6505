import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { RunClaim } from '#core/contract.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import { recordCancel } from '#services/runs/record-cancel.ts'
import { createOverdueQueries } from '#store/overdue.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testLog } from '#test/support/embedded.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { beginRun, openGate, type Parked, parkGate, SHOWN_PLAN } from '#test/support/park-gate.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { createMissedWakeups } from '#workers/loops/missed-wakeups.ts'

let look: () => Promise<void>
let woken: string[]
let down: Set<string>

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeEach(() => {
  woken = []
  down = new Set()
  look = createMissedWakeups({
    overdue: createOverdueQueries(database.db),
    workflows: {
      async wake(runId) {
        if (down.has(runId)) throw new Error('the engine did not answer')
        woken.push(runId)
      },
    },
    log: testLog,
  })
})

async function decide(parked: Parked, kind: 'approve' | 'reject' = 'approve'): Promise<Parked> {
  const given = {
    ...{ gate_id: parked.gate_id, decision_id: randomUUID(), kind, plan_hash: SHOWN_PLAN, by: 'usr_1', display: 'One' },
    ...{ type: 'user', roles: ['approver'], channel: 'api', asserted: true, at: new Date().toISOString() },
  }
  const answer = await recordDecision(createRecordDeps(database.db), { ...parked.claim, given })
  if ('refused' in answer) throw new Error(answer.refused)
  return parked
}

/** As if it had been decided, and last recorded anything, so many seconds ago. */
async function age({ run_id }: Parked, { decided, recorded }: { decided: number; recorded: number }): Promise<void> {
  const owner = database.db
  await owner`update gates set resolved_at = now() - ${decided} * interval '1 second' where run_id = ${run_id} and resolved_at is not null`
  await owner`update runs set updated_at = now() - ${recorded} * interval '1 second' where id = ${run_id}`
}

const QUIET = { decided: 20, recorded: 20 }

test('an approved run that has recorded nothing since is woken, once', async () => {
  const run = await decide(await parkGate(runs))
  await look()
  expect(woken).toEqual([])
  await age(run, QUIET)
  await look()
  await look()
  expect(woken).toEqual([run.run_id])
})

test('runs that go on, wait, have ended, or have asked the record themselves are left alone', async () => {
  const [recorded, rejected, again, old] = [
    await decide(await parkGate(runs)),
    await decide(await parkGate(runs), 'reject'),
    await decide(await parkGate(runs)),
    await decide(await parkGate(runs)),
  ]
  await openGate(runs, again.claim)
  const open = await parkGate(runs)
  await age(recorded, { decided: 20, recorded: 1 })
  for (const run of [rejected, again, open]) await age(run, QUIET)
  await age(old, { decided: 7_200, recorded: 7_200 })
  await look()
  const left = [recorded, rejected, again, open, old].map(({ run_id }) => run_id)
  expect(woken.filter((id) => left.includes(id))).toEqual([])
})

/** Told to stop while a leg is at work, as a user would. */
async function cancel(claim: RunClaim): Promise<RunClaim> {
  const command = {
    ...{ decision_id: randomUUID(), by: 'usr_1', display: 'One', type: 'user', roles: ['operator'], channel: 'api' },
    ...{ asserted: true, at: new Date().toISOString() },
  }
  const answer = await recordCancel(createRecordDeps(database.db), { ...claim, command })
  expect(answer).toEqual({ status: 'cancelling' })
  return claim
}

test('a run that is to stop and that has recorded nothing since is woken, once', async () => {
  const [quiet, recorded, old] = [await beginRun(runs), await beginRun(runs), await beginRun(runs)]
  for (const run of [quiet, recorded, old]) await cancel(run)
  await look()
  for (const [run, seconds] of [
    [quiet, 20],
    [recorded, 1],
    [old, 7_200],
  ] as const)
    await age({ ...run, gate_id: '', claim: run }, { decided: seconds, recorded: seconds })
  await look()
  await look()
  expect(woken.filter((id) => [quiet, recorded, old].some(({ run_id }) => run_id === id))).toEqual([quiet.run_id])
})

test('one that was approved and then cancelled is woken for both, and for a halt it does not wait', async () => {
  const { db } = database
  const run = await decide(await parkGate(runs))
  await age(run, QUIET)
  await look()
  await cancel(run.claim)
  await db`update runs set status_reason = 'halted' where id = ${run.run_id}`
  await db`update workspaces set status = 'archived', archived_at = now() where id = ${run.claim.workspace_id}`
  try {
    await age(run, QUIET)
    await look()
    expect(woken.filter((id) => id === run.run_id)).toHaveLength(2)
    expect((await createRecordDeps(db).decisions.runState(run.run_id))?.delay_ms).toBe(0)
  } finally {
    await db`update workspaces set status = 'active', archived_at = null where id = ${run.claim.workspace_id}`
  }
})

test('each approval of a run counts for itself', async () => {
  const first = await decide(await parkGate(runs))
  await age(first, QUIET)
  await look()
  const second = await decide(await openGate(runs, first.claim))
  await age(second, QUIET)
  await look()
  expect(woken.filter((id) => id === first.run_id)).toHaveLength(2)
})

test('a run that could not be woken is tried again, and holds up no other', async () => {
  const stuck = await decide(await parkGate(runs))
  const other = await decide(await parkGate(runs))
  for (const run of [stuck, other]) await age(run, QUIET)
  down.add(stuck.run_id)
  await look()
  expect(woken).toContain(other.run_id)
  expect(woken).not.toContain(stuck.run_id)
  down.clear()
  await look()
  expect(woken.filter((id) => id === stuck.run_id)).toHaveLength(1)
  expect(woken.filter((id) => id === other.run_id)).toHaveLength(1)
})
