import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { startCrashRun, startCrashService } from '#test/support/crash-service.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { needs } from '#test/support/programs/needs.ts'
import { ended, type RunBody } from '#test/support/recovery.ts'
import type { TestService } from '#test/support/service.ts'
import { verifyOutside } from '#test/support/verify-outside.ts'

let service: TestService
let target: Canary

beforeAll(async () => {
  const [postgres_url, temporal_address] = [inject('postgres_url'), inject('temporal_address')]
  service = await startCrashService({ postgres_url, temporal_address })
  target = await startCanary((_request, response) => void response.end('{}'))
})
afterAll(async () => {
  await target.stop()
  await service.stop()
})

describe('while no worker takes anything', needs('python3'), () => {
  test('gates are answered and runs cancelled within seconds; afterwards each does what was decided', async () => {
    const worker = await service.startWorker()
    const ids = await Promise.all([1, 2, 3].map(() => startCrashRun(service, 'gatedshort', { url: target.url })))
    const [approved = '', rejected = '', cancelled = ''] = ids
    for (const id of ids) await service.until<RunBody>(`/runs/${id}`, (run) => run.status === 'awaiting_approval')
    worker.kill('SIGKILL')
    await once(worker, 'exit')

    const answers = await Promise.all([
      service.call('POST', `/runs/${approved}/resume`, { decision: 'approve' }),
      service.call('POST', `/runs/${rejected}/resume`, { decision: 'reject', note: 'not now' }),
      service.call('POST', `/runs/${cancelled}/cancel`, { reason: 'not needed' }),
    ])
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [200, undefined],
      [202, undefined],
    ])
    expect(answers.map(({ body }) => body.status)).toEqual(['approved', 'rejected', 'cancelled'])
    const again = await service.call('POST', `/runs/${approved}/resume`, { decision: 'reject' })
    expect([again.status, again.body.code]).toEqual([409, 'gate_resolved'])
    expect(target.requests).toHaveLength(0)

    await service.startWorker()
    const ends = await Promise.all(ids.map((id) => ended(service, id, PATIENCE.timeout)))
    expect(ends.map(({ status }) => status)).toEqual(['succeeded', 'rejected', 'cancelled'])
    expect(target.requests).toHaveLength(1)
    for (const id of ids)
      await expect
        .poll(async () => (await service.temporal.workflow.getHandle(id).describe()).status.name, PATIENCE)
        .not.toBe('RUNNING')
    expect(await verifyOutside(`${service.home}/audit.jsonl`)).toMatchObject({ status: 0 })
  })
})
