import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { Lane } from '#core/contract.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'

let service: TestService
let target: Canary

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startCrashService({ postgres_url, temporal_address })
  await service.startWorker()
  target = await startCanary((_request, response) => void response.end('{}'))
})
afterAll(async () => {
  await target.stop()
  await service.stop()
})

test('a run whose approval is on record, and of which its engine knows nothing, goes on within half a minute', async () => {
  const { db } = service.database
  const id = await startCrashRun(service, 'gatedshort', { url: target.url })
  const statusOf = async () => (await service.call<RunBody>('GET', `/runs/${id}`)).body.status
  await expect.poll(statusOf, PATIENCE).toBe('awaiting_approval')
  // the record is asked once more when the wait begins
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const [gate] = await db<{ gate_id: string; plan_hash: string; workspace_id: string; lane: Lane }[]>`
    select g.id as gate_id, g.plan_hash, g.workspace_id, r.lane from gates g join runs r on r.id = g.run_id where run_id = ${id}`
  if (gate === undefined) throw new Error('the run has no gate')
  const { workspace_id, lane, ...shown } = gate
  const given = {
    ...{
      ...shown,
      decision_id: randomUUID(),
      kind: 'approve',
      by: 'usr_1',
      display: 'One',
      type: 'user',
      roles: ['approver'],
    },
    ...{ channel: 'api', asserted: true, at: new Date().toISOString() },
  }
  const claim = { run_id: id, workspace_id, lane, given }
  expect(await recordDecision(createRecordDeps(db), claim)).toMatchObject({ status: 'approved' })
  expect(await statusOf()).toBe('running')
  expect(await ended(service, id, 40_000)).toMatchObject({ status: 'succeeded' })
  expect(target.requests).toHaveLength(1)
})
