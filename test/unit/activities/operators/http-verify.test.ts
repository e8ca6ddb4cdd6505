import { afterEach, describe, expect, it } from 'vitest'
import { createHttpVerify } from '#activities/operators/http/verify.ts'
import { startDemoService } from '#cli/demo/demo-server.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { startCanary } from '#test/support/canary.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const operator = createHttpVerify({ egress: createEgressClient() })
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const run = (input: JsonObject, changes: Parameters<typeof operatorContext>[0] = {}) =>
  operator.execute(operatorContext({ egress: ['loopback'], ...changes }), operator.parse(input))

describe('http.verify', () => {
  it('polls until the expression over the response is true', async () => {
    let polls = 0
    const target = await startCanary((_request, response) => {
      polls += 1
      response
        .writeHead(polls < 3 ? 503 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ready: polls >= 4 }))
    })
    stops.push(target.stop)
    const until = 'response.status == 200 && response.json.ready'
    const { outputs } = await run({ url: target.url, until, every: '1ms', within: '20s' })
    expect(outputs).toEqual({ ok: true, attempts: 4, status: 200 })
  })

  it('compares with the values that it is given', async () => {
    const target = await startCanary((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"user":"shop_b","version":4}')
    })
    stops.push(target.stop)
    const until = 'response.json.user == given.user && response.json.version == given.version'
    const asked = { url: target.url, until, every: '1ms', within: '50ms' }
    const right = await run({ ...asked, within: '20s', given: { user: 'shop_b', version: 4 } })
    expect(right.outputs).toMatchObject({ ok: true })
    await expect(run({ ...asked, given: { user: 'shop_b', version: 5 } })).rejects.toMatchObject({
      code: 'verify_failed',
    })
    await expect(run(asked)).rejects.toMatchObject({ code: 'verify_failed' })
    const shown = operator.describe(operator.parse({ ...asked, given: { user: 'b' } }), { idempotency_key: '' })
    expect(shown.summary).toContain(', given {"user":"b"}')
  })

  it('waits through refused connections and answers that the expression cannot read yet', async () => {
    const demo = await startDemoService()
    const { port } = new URL(demo.url)
    await demo.stop()
    const restarted = { done: false }
    const now = () => {
      if (!restarted.done) {
        restarted.done = true
        void startDemoService({ port: Number(port) }).then((service) => stops.push(service.stop))
      }
      return Date.now()
    }
    const until = "response.json.status == 'ok'"
    const { outputs } = await run({ url: `${demo.url}/health`, until, every: '5ms', within: '20s' }, { now })
    expect(outputs).toMatchObject({ ok: true, status: 200 })
  })

  it('asks as seldom as the target says, and once more before its time is over', async () => {
    const target = await startCanary((_request, response) => response.writeHead(503, { 'retry-after': '60' }).end())
    stops.push(target.stop)
    const asked = { url: target.url, until: 'response.status == 200', every: '50ms', within: '2s' }
    // its time is over with the second answer, however long the machine takes for one
    const now = () => (target.requests.length < 2 ? 0 : 2_000)
    await expect(run(asked, { now })).rejects.toMatchObject({ code: 'verify_failed', details: { status: 503 } })
    expect(target.requests).toHaveLength(2)
  })

  it('says where it was redirected to, whether or not that was enough', async () => {
    const target = await startCanary((request, response) =>
      request.url === '/new' ? response.end('ok') : response.writeHead(302, { location: '/new' }).end(),
    )
    stops.push(target.stop)
    const redirects = [{ status: 302, location: `${target.url}/new` }]
    const asked = { url: `${target.url}/old`, every: '20s', within: '20s' }
    const { outputs } = await run({ ...asked, until: 'response.status == 200' })
    expect(outputs).toEqual({ ok: true, attempts: 1, status: 200, redirects })
    await expect(run({ ...asked, until: 'response.status == 201' })).rejects.toMatchObject({
      code: 'verify_failed',
      details: { redirects },
    })
  })

  it('fails when the time is over, with what it last saw', async () => {
    const demo = await startDemoService()
    stops.push(demo.stop)
    const times = [0, 0, 1_000, 1_000, 60_000]
    const now = () => times.shift() ?? 60_000
    const input = { url: `${demo.url}/nowhere`, until: 'response.status == 200', every: '1ms', within: '60s' }
    const details = { attempts: 2, status: 404, until: input.until }
    await expect(run(input, { now })).rejects.toMatchObject({ code: 'verify_failed', retryable: false, details })
  })

  it('stops between polls when the signal says so', async () => {
    const controller = new AbortController()
    const target = await startCanary((_request, response) => {
      response.on('close', () => setImmediate(() => controller.abort()))
      response.writeHead(503).end()
    })
    stops.push(target.stop)
    const began = performance.now()
    const work = run(
      { url: target.url, until: 'response.status == 200', every: '1h', within: '2h' },
      { signal: controller.signal },
    )
    await expect(work).rejects.toMatchObject({ code: 'aborted' })
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(target.requests).toHaveLength(1)
  })

  it('says too where it was redirected to when nobody answers there', async () => {
    const gone = await startCanary()
    await gone.stop()
    const target = await startCanary((_request, response) => response.writeHead(302, { location: gone.url }).end())
    stops.push(target.stop)
    await expect(run({ url: target.url, until: 'true', within: '900ms' })).rejects.toMatchObject({
      code: 'verify_failed',
      details: { redirects: [{ status: 302, location: new URL(gone.url).href }] },
    })
  })

  it('stops within a poll when the signal says so', async () => {
    const controller = new AbortController()
    const target = await startCanary(() => controller.abort())
    stops.push(target.stop)
    const work = run({ url: target.url, until: 'true' }, { signal: controller.signal })
    await expect(work).rejects.toMatchObject({ code: 'aborted' })
  })

  it('does not wait for an address that it may never reach', async () => {
    const target = await startCanary()
    stops.push(target.stop)
    const work = run({ url: target.url, until: 'true' }, { egress: [] })
    await expect(work).rejects.toMatchObject({ code: 'egress_denied' })
    const simulated = await operator.simulate?.(operatorContext(), operator.parse({ url: target.url, until: 'true' }))
    expect(simulated).toMatchObject({ ok: false, details: { code: 'egress_denied' } })
    expect(target.connections()).toBe(0)
  })

  it('asks nothing in a simulation', async () => {
    const target = await startCanary()
    stops.push(target.stop)
    const context = operatorContext({ egress: ['loopback'] })
    const simulated = await operator.simulate?.(context, operator.parse({ url: target.url, until: 'true' }))
    expect(simulated).toMatchObject({ ok: true, summary: expect.stringContaining('would ask') })
    expect(target.connections()).toBe(0)
  })

  it.each(['response.status ==', '', '1 +'])('refuses the expression %j before anything runs', (until) => {
    expect(() => operator.parse({ url: 'http://x.example', until })).toThrow(/until/)
  })
})
