import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPrometheusQuery } from '#activities/operators/prometheus/query.ts'
import type { JsonObject } from '#core/json/json.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { freePorts } from '#test/support/free-ports.ts'
import { type Neighbour, startNeighbour } from '#test/support/neighbour.ts'
import { operatorContext } from '#test/support/operator-context.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'

const operator = createPrometheusQuery({ egress: createEgressClient() })
let prometheus: Neighbour
let dir: string

const run = async (input: JsonObject) => {
  const ctx = operatorContext({ egress: ['loopback'], connections: { metrics: prometheus.url } })
  return (await operator.execute(ctx, operator.parse({ connection: 'metrics', ...input }))).outputs
}

describe('prometheus.query against Prometheus', needs('prometheus'), () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-prometheus-'))
    await writeFile(join(dir, 'prometheus.yml'), 'global: {}\n')
    const [port] = await freePorts(1)
    const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
    prometheus = await startNeighbour({
      ...{ program: programOf('prometheus'), args, dir, url: `http://127.0.0.1:${port}` },
    })
  })
  afterAll(async () => {
    await prometheus?.stop()
    if (dir !== undefined) await rm(dir, { recursive: true, force: true })
  })

  it.each<[string, string, unknown]>([
    ['a vector', 'vector(0.5)', { result_type: 'vector', value: 0.5, series_count: 1 }],
    ['a scalar', '1 / 3', { result_type: 'scalar', value: 1 / 3 }],
    ['what is no number', 'vector(0) / 0', { value: 'NaN' }],
    ['a text', '"ready"', { result_type: 'string', value: 'ready' }],
    ['nothing', 'no_such_metric', { result_type: 'vector', value: null, series_count: 0, series: [] }],
  ])('reads %s', async (_what, query, found) => expect(await run({ query })).toMatchObject(found as object))

  it('reads the values of several series by a label', async () => {
    const series = (name: string, value: number) => `label_replace(vector(${value}), "job", "${name}", "", "")`
    const query = `${series('shop', 1)} or ${series('bank', 2)}`
    expect(await run({ query, by: 'job' })).toMatchObject({ value: null, values: { shop: 1, bank: 2 } })
  })

  it('reads a range', async () => {
    const range = { start: '2026-01-05T09:00:00.000Z', end: '2026-01-05T09:01:00.000Z', step: '30s' }
    const times = ['2026-01-05T09:00:00.000Z', '2026-01-05T09:00:30.000Z', '2026-01-05T09:01:00.000Z']
    const { series, ...facts } = await run({ query: 'vector(time())', range })
    expect(facts).toMatchObject({ result_type: 'matrix', value: Date.parse(range.end) / 1_000 })
    expect(series).toMatchObject([{ samples: times.map((at) => ({ at, value: Date.parse(at) / 1_000 })) }])
  })

  it.each([
    ['sum(', /^the query through metrics was answered 400: .*parse error: unclosed left parenthesis$/],
    ['vector(1) + on() group_left() sum by (a, b) (', /parse error/],
  ])('says in the words of Prometheus what is wrong with %s', async (query, message) => {
    const failed = { code: 'http_status', retryable: false, message: expect.stringMatching(message) }
    await expect(run({ query })).rejects.toMatchObject(failed)
  })
})
