import { once } from 'node:events'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { ended, parkRun } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let demo: DemoService

beforeAll(async () => {
  const servers = { postgres_url: inject('postgres_url'), temporal_address: inject('temporal_address') }
  service = await startTestService({ ...servers, workers: 0 })
  demo = await startDemoService()
  await fetch(`${demo.url}/fault`, { method: 'POST' })
})
afterAll(async () => {
  await demo.stop()
  await service.stop()
})

const startVersion = (buildId: string) => service.startWorker({ SVC_WORKER_DEPLOYMENT: `svc.${buildId}` })

/** As `temporal worker deployment set-current-version` does; the server knows a version some moments after its workers poll. */
async function setCurrent(buildId: string): Promise<void> {
  const { workflowService } = service.temporal
  const request = { namespace: service.namespace, deploymentName: 'svc', buildId }
  await vi.waitFor(() => workflowService.setWorkerDeploymentCurrentVersion(request), PATIENCE)
}

async function versionOf(runId: string): Promise<string | null | undefined> {
  const execution = { workflowId: runId }
  const request = { namespace: service.namespace, execution }
  const { workflowExecutionInfo } = await service.temporal.workflowService.describeWorkflowExecution(request)
  return workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId
}

test('a run that waits for an approval goes over to the new version of the workers, and back', async () => {
  const one = await startVersion('one')
  await setCurrent('one')
  const [first, second] = [await parkRun(service, demo, 'first'), await parkRun(service, demo, 'second')]
  expect(await versionOf(first)).toBe('one')

  const two = await startVersion('two')
  await setCurrent('two')
  const gone = once(one, 'exit')
  one.kill('SIGTERM')
  await gone
  expect(await approve(first)).toMatchObject({ status: 'succeeded' })
  expect(await versionOf(first)).toBe('two')

  await startVersion('one')
  await setCurrent('one')
  two.kill('SIGTERM')
  expect(await approve(second)).toMatchObject({ status: 'succeeded' })
  expect(await versionOf(second)).toBe('one')
})

async function approve(runId: string) {
  const { status, body } = await service.call('POST', `/runs/${runId}/resume`, { decision: 'approve' })
  expect(status, JSON.stringify(body)).toBe(200)
  return await ended(service, runId, PATIENCE.timeout)
}
