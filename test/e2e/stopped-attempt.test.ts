import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { awaiting, ended, eventsOf, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let target: Canary
/** the one who acts has ended its connection */
let letGo: Promise<void>

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: fileURLToPath(new URL('../packs/effects', import.meta.url)) },
  })
})
afterAll(() => service.stop())
afterEach(() => target.stop())

/** A run whose effect, which nothing makes harmless to repeat, has reached its target, and waits for the answer. */
async function acting(): Promise<RunBody & { workspace_id: string; lane: string }> {
  let arrive: () => void
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  target = await startCanary((request, response) => {
    if (request.method !== 'POST') return response.end('ok')
    letGo = new Promise((resolve) => request.socket.once('close', () => resolve()))
    arrive()
  })
  const { body } = await service.call<RunBody & { workspace_id: string; lane: string }>(
    ...(['POST', '/packs/crash/post/run', { inputs: { url: target.url, idempotent: false } }] as const),
  )
  await arrived
  return body
}

/** No matter who stopped it, it may have acted: nobody but a person lets it act again. */
async function expectAsked(id: string): Promise<void> {
  expect(await awaiting(service, id)).toMatchObject({
    progress: { steps: [{ id: 'act', state: 'outcome_unknown' }, { id: 'check' }] },
  })
  expect(target.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(await eventsOf(service, id)).toContainEqual(
    expect.objectContaining({ type: 'gate.opened', data: expect.objectContaining({ kind: 'outcome_unknown' }) }),
  )
}

test('an effect whose activity is reset in Temporal is not done again without a decision', async () => {
  const { id } = await acting()
  const execution = { workflowId: id }
  await service.temporal.workflowService.resetActivity({
    ...{ namespace: service.namespace, execution, type: 'advanceRun' },
  })
  await expectAsked(id)
})

test('nor when another workflow stood in the place of the run’s own for a while', async () => {
  const { id, workspace_id, lane } = await acting()
  const place = { workflowId: id, workflowIdConflictPolicy: 'TERMINATE_EXISTING' } as const
  await service.temporal.workflow.start('nobody', { ...place, taskQueue: 'nobody' })
  // our worker learns at its next heartbeats that its attempt is gone, and lets go of the target
  await letGo
  await service.temporal.workflow.start('runV2', {
    ...place,
    taskQueue: lane,
    args: [{ run_id: id, workspace_id, lane }],
  })
  await expectAsked(id)
})

test('an effect of a run that is being cancelled ends with it', async () => {
  const { id } = await acting()
  expect((await service.call('POST', `/runs/${id}/cancel`, {})).status).toBe(202)
  expect(await ended(service, id)).toMatchObject({
    status: 'cancelled',
    progress: { steps: [{ state: 'cancelled' }, { id: 'check' }] },
  })
  expect(target.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
})
