import { afterAll, beforeAll, expect, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { expireDueGate } from '#services/approvals/expire-gate.ts'
import { closeRun } from '#services/runs/close-run.ts'
import { createOverdueQueries } from '#store/overdue.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { testLog } from '#test/support/embedded.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { parkGate } from '#test/support/park-gate.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { createSweeps } from '#workers/loops/sweeps.ts'

let sweeps: ReturnType<typeof createSweeps>
const waiting = new Set<string>()
const ended = new Set<string>()
const stuck = new Set<string>()
const asked: string[] = []

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeAll(async () => {
  const deps = createRecordDeps(database.db)
  const nothing = async () => undefined
  sweeps = createSweeps({
    runs,
    overdue: createOverdueQueries(database.db),
    start: nothing,
    workflows: {
      async *open() {
        yield 'run_of_nobody'
        for (const id of waiting) if (!ended.has(id)) yield id
      },
      wake: nothing,
      async alive(runId) {
        asked.push(runId)
        return !ended.has(runId)
      },
    },
    async expireGate(claim) {
      if (stuck.has(claim.run_id)) throw new Error('it cannot be expired')
      return await expireDueGate(deps, claim)
    },
    closeRun: (claim, error) => closeRun(deps, claim, error),
    reportRefusals: nothing,
    purgeRefusals: nothing,
    purgeKeys: nothing,
    settleLostModelCalls: nothing,
    followRemoteJobs: nothing,
    purgeFirings: nothing,
    purgeInbox: nothing,
    purgeDeliveries: nothing,
    purgeAlertEnds: nothing,
    purgeScheduleFirings: nothing,
    purgeAskThreads: nothing,
    forgetRuns: nothing,
    removeObjects: nothing,
    leading: () => true,
    log: testLog,
  })
})
afterAll(() => sweeps.stop())

async function statusOf(runId: string): Promise<string | undefined> {
  const [row] = await database.db<{ status: string }[]>`select status from runs where id = ${runId}`
  return row?.status
}

test('a sweep expires what no timer has, closes what has lost its workflow, and leaves every other run alone', async () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  // one that cannot be mended keeps nobody behind it waiting
  const first = await parkGate(runs, {}, { expires_at: ago(90_000) })
  stuck.add(first.run_id)
  waiting.add(first.run_id)
  const [overdue, due, open, lost] = [
    await parkGate(runs, {}, { expires_at: ago(60_000) }),
    // its own timer is at it
    await parkGate(runs, {}, { expires_at: ago(1_000) }),
    await parkGate(runs),
    await parkGate(runs),
  ]
  for (const { run_id } of [overdue, due, open, lost]) waiting.add(run_id)
  ended.add(lost.run_id)
  sweeps.start()
  const over = async () =>
    (await statusOf(overdue.run_id)) === 'expired' && (await statusOf(lost.run_id)) === 'failed' ? true : undefined
  expect(await poll(over, 25_000)).toBe(true)
  expect(await statusOf(first.run_id)).toBe('awaiting_approval')
  expect(await statusOf(due.run_id)).toBe('awaiting_approval')
  expect(await statusOf(open.run_id)).toBe('awaiting_approval')
  expect(new Set(asked)).toEqual(new Set([lost.run_id]))
  const audit = await database.db`
    select draft ->> 'action' as action, draft ->> 'category' as category, draft #>> '{actor,type}' as actor
    from audit_outbox where draft ->> 'run_id' in (${overdue.run_id}, ${lost.run_id})
      and draft ->> 'action' in ('gate.expired', 'run.failed') order by 1`
  expect(audit).toEqual([
    { action: 'gate.expired', category: 'expiry', actor: 'system' },
    { action: 'run.failed', category: 'lineage', actor: 'system' },
  ])
})
