import { afterEach, describe, expect, it } from 'vitest'
import { createPrometheusQuery } from '#activities/operators/prometheus/query.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { type Canary, startCanary } from '#test/support/canary.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const operator = createPrometheusQuery({ egress: createEgressClient() })
const TOKEN = 'Tk7wQx93LmZ0'
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

/** A server that answers as Prometheus would, with this. */
async function answering(body: unknown, status = 200, headers: Record<string, string> = {}): Promise<Canary> {
  const target = await startCanary((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  stops.push(target.stop)
  return target
}

const success = (resultType: string, result: unknown, more = {}) => ({
  status: 'success',
  data: { resultType, result },
  ...more,
})
const vector = (...values: [labels: object, value: string][]) =>
  success(
    'vector',
    values.map(([metric, value]) => ({ metric, value: [1_767_225_600.123, value] })),
  )

const contextOf = (target: Canary, changes: Parameters<typeof operatorContext>[0] = {}) => {
  const { host } = new URL(target.url)
  return operatorContext({
    egress: ['loopback'],
    connections: { metrics: `http://:${TOKEN}@${host}/prom` },
    ...changes,
  })
}
const run = async (target: Canary, input: JsonObject = {}, changes: Parameters<typeof operatorContext>[0] = {}) =>
  (await operator.execute(contextOf(target, changes), operator.parse({ connection: 'metrics', query: 'up', ...input })))
    .outputs

describe('prometheus.query', () => {
  it('asks as Prometheus is asked, below the path of its connection and with its token', async () => {
    const target = await answering(vector())
    await run(target, { query: 'up{job="a&b"} # all', at: '2026-01-05T09:30:00Z', timeout: '5s' })
    const range = { start: '2026-01-05T09:00:00Z', end: '2026-01-05T09:30:00+00:00', step: '1.5m' }
    await run(target, { range })
    const asked = target.requests.map(({ method, url, headers }) => {
      const { pathname, searchParams } = new URL(url, target.url)
      return [method, pathname, Object.fromEntries(searchParams), headers.authorization]
    })
    const by = `Bearer ${TOKEN}`
    expect(asked).toEqual([
      [
        ...['GET', '/prom/api/v1/query'],
        { query: 'up{job="a&b"} # all', time: '2026-01-05T09:30:00Z', timeout: '5000ms' },
        by,
      ],
      [
        ...['GET', '/prom/api/v1/query_range'],
        { query: 'up', timeout: '30000ms', start: range.start, end: range.end, step: '90' },
        by,
      ],
    ])
  })

  it('gives the value of the only series, and the values of several by a label', async () => {
    const at = '2026-01-01T00:00:00.123Z'
    const one = await answering(vector([{ job: 'shop' }, '0.25']))
    expect(await run(one)).toEqual({
      ...{ result_type: 'vector', series: [{ labels: { job: 'shop' }, at, value: 0.25 }], series_count: 1 },
      ...{ truncated: false, value: 0.25, warnings: [] },
    })
    const two = await answering(vector([{ job: 'shop' }, '+Inf'], [{ job: 'bank' }, 'NaN']))
    expect(await run(two, { by: 'job' })).toMatchObject({ value: null, values: { shop: '+Inf', bank: 'NaN' } })
    await expect(run(two, { by: 'instance' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('the same instance'),
    })
  })

  it('reads labels and values of any name and type as text, and keeps no long one', async () => {
    const odd = await answering(vector([{ job: 'shop' }, '1'], [{ constructor: 'x' }, '2']))
    for (const by of ['toString', '__proto__'])
      await expect(run(odd, { by })).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await run(odd, { by: 'constructor' })).toMatchObject({ values: { '': 1, x: 2 } })
    const metric = { a: { toString: 1 }, b: [1], c: null }
    const typed = await answering(success('vector', [{ metric, value: [1, { toString: 1, valueOf: 1 }] }]))
    expect(await run(typed)).toMatchObject({
      ...{ series: [{ labels: { a: '{"toString":1}', b: '[1]', c: 'null' } }], value: '{"toString":1,"valueOf":1}' },
    })
    const long = await answering(success('string', [1, 'x'.repeat(2_000_000)]))
    expect(JSON.stringify(await run(long)).length).toBeLessThan(10_000)
  })

  it.each<[string, JsonObject, number]>([
    ['series', { max_series: 2 }, 2],
    ['samples', { max_samples: 3 }, 3],
  ])('keeps no more %s than it may, and says so', async (_what, limits, kept) => {
    const target = await answering(
      vector(...Array.from({ length: 5 }, (_, n): [object, string] => [{ n: `${n}` }, '1'])),
    )
    const outputs = await run(target, limits)
    expect(outputs).toMatchObject({ truncated: true, series_count: 5, value: null })
    expect(outputs['series']).toHaveLength(kept)
  })

  it('keeps at most a megabyte, and reads no endless answer', async () => {
    const label = 'x'.repeat(400_000)
    const large = await answering(vector(...['a', 'b', 'c'].map((n): [object, string] => [{ n, label }, '1'])))
    expect(await run(large)).toMatchObject({ truncated: true, series_count: 3 })
    const endless = await answering(vector([{ label: 'x'.repeat(5 * 1024 * 1024) }, '1']))
    await expect(run(endless)).rejects.toMatchObject({ code: 'response_too_large' })
  })

  it('passes on what the server warns of', async () => {
    const target = await answering({ ...vector(), warnings: ['results truncated due to limit'] })
    expect(await run(target)).toMatchObject({ warnings: ['results truncated due to limit'] })
  })

  it.each([
    [422, false],
    [503, true],
    [429, true],
    [302, false],
  ])('fails with the words of the server when it answers %i', async (status, retryable) => {
    const body = { status: 'error', errorType: 'execution', error: 'found duplicate series for the match group' }
    const target = await answering(body, status, { location: '/elsewhere' })
    await expect(run(target)).rejects.toMatchObject({
      ...{ code: 'http_status', retryable, details: { status } },
      message: `the query through metrics was answered ${status}${status < 400 ? '' : `: ${body.error}`}`,
    })
    expect(target.requests).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    ['a page', '<html>'],
    ['another API', { data: [] }],
    ['a failure with a good status', { status: 'error', error: 'no' }],
    ['a result that is no list', success('vector', {})],
    ['a sample that is none', success('vector', [{ metric: {}, value: [1] }])],
    ['a time that is none', success('vector', [{ metric: {}, value: ['soon', '1'] }])],
  ])('says that %s is no answer of Prometheus', async (_what, body) => {
    await expect(run(await answering(body))).rejects.toMatchObject({ code: 'answer_invalid', retryable: false })
  })

  it('asks nobody whom the environment does not open, and its token is in no failure', async () => {
    const target = await answering(vector())
    const refused = await run(target, {}, { egress: [] }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'egress_denied' })
    expect(JSON.stringify([refused, String(refused)])).not.toContain(TOKEN)
    expect(target.connections()).toBe(0)
  })

  it('shows what will be asked without the token, and a dry run asks nothing', async () => {
    const target = await answering(vector())
    const input = operator.parse({ connection: 'metrics', query: "sum(up{job='shop'})" })
    const connection = { ...(await contextOf(target).connection('metrics')), id: 'metrics' }
    const shown = operator.describe(input, {
      idempotency_key: 'k',
      connection: { ...connection, target: { kind: 'prometheus', host: 'prometheus.test' } },
    })
    expect(shown).toMatchObject({
      summary: "query metrics (prometheus prometheus.test): sum(up{job='shop'})",
      targets: { kind: 'connection', ids: ['metrics'] },
    })
    expect(JSON.stringify(shown.command)).toContain('/prom/api/v1/query?query=sum')
    expect(JSON.stringify(shown)).not.toContain(TOKEN)
    expect(await operator.simulate?.(contextOf(target), input)).toMatchObject({ ok: true })
    expect(await operator.simulate?.(contextOf(target, { egress: [] }), input)).toMatchObject({ ok: false })
    expect(target.connections()).toBe(0)
  })

  it('takes no connection to another kind of system', () => {
    const input = operator.parse({ connection: 'db', query: 'up' })
    expect(() => operator.applyConnection?.(input, { kind: 'postgres', url: 'postgres://db.test/app' })).toThrow(
      expect.objectContaining({ code: 'connection_kind' }),
    )
  })

  it.each<JsonObject>([
    { query: ' ' },
    { query: 'x'.repeat(4_001) },
    { at: 'yesterday' },
    { at: '2026-01-05T09:30:00Z', range: { start: '2026-01-05T09:00:00Z', end: '2026-01-05T09:30:00Z', step: '1m' } },
    { range: { start: '2026-01-05T09:30:00Z', end: '2026-01-05T09:00:00Z', step: '1m' } },
    { by: 'job"' },
    { max_samples: 1_000_000 },
  ])('refuses %j', (input) => {
    expect(() => operator.parse({ connection: 'metrics', query: 'up', ...input })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
  })
})
