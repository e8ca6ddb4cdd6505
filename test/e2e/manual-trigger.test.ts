import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type DemoService, startDemoService } from '#cli/demo/demo-server.ts'
import { parseMetrics } from '#test/support/prometheus.ts'
import { awaiting, ended, type RunBody } from '#test/support/recovery.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const PACKS = fileURLToPath(new URL('../packs/effects', import.meta.url))

let service: TestService
let demo: DemoService

beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    env: { SVC_PACKS_DIR: PACKS },
  })
  demo = await startDemoService()
})
afterAll(async () => {
  await demo?.stop()
  await service?.stop()
})

interface Started {
  run_id: string
  status: string
}

const start = <Body = Started>(template: string, more: object) =>
  service.call<Body>('POST', '/triggers/manual', { pack: 'crash', template, inputs: { url: demo.url }, ...more })

describe('a start by hand that is waited for', () => {
  test('is answered with the finished run, and has run in the realtime lane', async () => {
    const { status, body } = await start<RunBody>('post', { wait: true })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'succeeded', lane: 'realtime', provenance: { trigger: { type: 'manual' } } })
  })

  test('is answered at once when the run waits at a gate', async () => {
    const began = performance.now()
    const { status, headers, body } = await start('gated', { wait: true, wait_timeout_s: 60 })
    expect([status, body.status]).toEqual([202, 'awaiting_approval'])
    expect(performance.now() - began).toBeLessThan(30_000)
    expect(headers.get('location')).toBe(`/runs/${body.run_id}`)
    expect((await service.call('POST', `/runs/${body.run_id}/resume`, { decision: 'approve' })).status).toBe(200)
    expect((await ended(service, body.run_id)).status).toBe('succeeded')
  })

  test('is answered with where the run stands when the time is over, and the run goes on', async () => {
    const { status, body } = await start('later', {
      wait: true,
      // long enough for a busy machine to begin it
      wait_timeout_s: 2,
      inputs: { url: demo.url, for: '4s' },
    })
    expect([status, body.status]).toEqual([202, 'running'])
    expect((await ended(service, body.run_id)).status).toBe('succeeded')
  })

  test('a caller that hangs up leaves its run alone', async () => {
    const leaving = new AbortController()
    const hungUp = fetch(`${service.url}/triggers/manual`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pack: 'crash', template: 'later', inputs: { url: demo.url, for: '2s' }, wait: true }),
    }).catch(() => 'hung up')
    const [run] = await service.until<RunBody[]>('/runs?limit=1', ([newest]) => newest?.status === 'running')
    leaving.abort()
    expect(await hungUp).toBe('hung up')
    expect((await ended(service, run?.id ?? '')).status).toBe('succeeded')
  })
})

describe('a start by hand that is not waited for', () => {
  test('runs in the background lane, and both lanes show in health and figures', async () => {
    const { status, body } = await start('gated', {})
    expect(status).toBe(202)
    expect(await awaiting(service, body.run_id)).toMatchObject({ lane: 'background' })
    // on a busy machine a part that took more than a second is left out, and the answer is 503
    const health = await service.until<{ lanes?: object; packs: []; policies: [] }>(
      '/healthz?verbose',
      ({ lanes }) => lanes !== undefined,
    )
    expect(health).toMatchObject({
      lanes: {
        realtime: { limit: 4, running: 0, queued: 0, wait_p50_ms: expect.any(Number) },
        background: { limit: 2, running: 0, queued: 0, wait_p99_ms: expect.any(Number) },
      },
      packs: [],
      environments: [],
      policies: [],
    })
    const figures = parseMetrics(String((await service.call('GET', '/metrics')).body))
    expect(figures.value('svc_gates_open')).toBe(1)
    expect(figures.value('svc_run_admissions_total', { outcome: 'started', source: 'manual' })).toBeGreaterThan(3)
    expect((await service.call('POST', `/runs/${body.run_id}/cancel`, { reason: 'done' })).status).toBeLessThan(300)
  })
})
