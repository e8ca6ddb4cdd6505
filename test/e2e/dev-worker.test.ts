import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { RemoteJobRecord } from '#core/remote-job/schema.ts'
import { runCli } from '#test/support/cli.ts'
import type { RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startTestService({ postgres_url, temporal_address, workers: 1 })
})
afterAll(() => service.stop())

test('svc dev worker writes a worker, starts it, and has it do a step behind a gate', async () => {
  const { port } = new URL(service.url)
  const env = {
    ...{ SVC_HOME: service.home, SVC_PORT: port, TEMPORAL_ADDRESS: inject('temporal_address') },
    TEMPORAL_NAMESPACE: service.namespace,
  }
  const first = await runCli(['dev', 'worker', '--yes'], { env })
  expect(first, first.stdout + first.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('succeeded') })
  const { body } = await service.call<RemoteJobRecord[]>('GET', '/console/api/remote-jobs')
  expect(body).toMatchObject([{ state: 'returned', attest: expect.stringMatching(/^MCow/), queue: 'hello' }])
  const run = await service.call<RunBody>('GET', `/runs/${body[0]?.run_id}`)
  expect(run.body).toMatchObject({ outputs: { greetings: ['Hello Ada', 'Hello Grace'] } })
  const key = join(service.home, 'worker/worker.pem')
  expect(statSync(key).mode & 0o077).toBe(0)
  const [pem, again] = [readFileSync(key, 'utf8'), await runCli(['dev', 'worker', '--yes'], { env })]
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('kept') })
  expect(again.stdout).not.toContain('made')
  expect(readFileSync(key, 'utf8')).toBe(pem)
})

test('svc dev worker asks at its gate, so it needs a terminal', async () => {
  const { code, stderr } = await runCli(['dev', 'worker'], { env: { SVC_HOME: service.home } })
  expect(code).toBe(64)
  expect(stderr).toContain('without one, use --yes')
})
