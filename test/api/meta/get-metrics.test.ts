import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { recordDecision } from '#services/approvals/record-decision.ts'
import { createTestApi, NO_CHANNELS, startingEngine, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { onePack } from '#test/support/one-pack.ts'
import { type Figures, parseMetrics } from '#test/support/prometheus.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { admitTestRun, finishTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getMetrics')

const database = testDatabase()
const api = testApi(database, { services: { engine: startingEngine() } })
beforeAll(
  () => database.db`
    insert into worker_heartbeats (worker_id, lanes, audit_leader, audit_ok)
    values ('w1', ${['realtime', 'background']}, true, true), ('w2', ${['background']}, false, true)`,
)

async function scrape(): Promise<Figures> {
  const response = await api.get('/metrics')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  return parseMetrics(await response.text())
}

/** Sets how long the run has waited for its first execution. */
async function beganAfter(runId: string, waitMs: number): Promise<void> {
  await database.db`
    update runs set queued_at = started_at - ${waitMs} * interval '1 millisecond' where id = ${runId}`
}

describe('GET /metrics', () => {
  it('is sound text format: every sample has a type and a help, no series comes twice', async () => {
    await api.get('/runs')
    const figures = await scrape()
    expect(figures.value('process_cpu_user_seconds_total')).toBeGreaterThan(0)
    expect(figures.value('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0)
  })

  it('counts claims that were refused, as often as they came', async () => {
    const run = await admitTestRun(api)
    const deps = createRecordDeps(database.db)
    const claim = { run_id: run, workspace_id: DEFAULT_WORKSPACE_ID, lane: 'background', given: null } as const
    for (let n = 0; n < 3; n += 1) await recordDecision(deps, claim)
    expect((await scrape()).value('svc_claims_refused_total', { kind: 'unknown_shape' })).toBe(3)
    expect((await scrape()).value('svc_claims_refused_total', { kind: 'unknown_shape' })).toBe(3)
  })

  it('counts and times requests by operation, never by path', async () => {
    const id = await admitTestRun(api)
    const labels = { operation: 'getRun', method: 'GET', status: '200' }
    const before = (await scrape()).value('http_requests_total', labels)
    await api.get(`/runs/${id}`)
    await api.get(`/workspaces/ws_00000000000000000000000000/runs/${id}`)
    await api.get('/no/such/route')
    await api.app.request('/runs', { method: 'MADEUP' })
    const figures = await scrape()
    expect(figures.value('http_requests_total', labels)).toBe(before + 2)
    expect(figures.value('http_request_duration_seconds_count', labels)).toBe(before + 2)
    expect(figures.value('http_requests_total', { operation: 'none', method: 'GET', status: '404' })).toBe(1)
    expect(figures.values('method')).not.toContain('MADEUP')
  })

  it('names no tenant, no run and no path', async () => {
    const id = await admitTestRun(api)
    await api.get(`/runs/${id}`)
    const text = await (await api.get('/metrics')).text()
    expect(text).not.toMatch(/_[0-9a-z]{26}|\/runs|usr_local/)
  })

  it('shows how runs, gates and lanes stand', async () => {
    const before = await scrape()
    await admitTestRun(api, { lane: 'realtime' })
    await parkTestRun(api, await admitTestRun(api, { lane: 'background' }))
    const after = await scrape()
    const grown = (name: string, labels = {}) => after.value(name, labels) - before.value(name, labels)
    expect(grown('svc_runs', { status: 'queued', lane: 'realtime' })).toBe(1)
    expect(grown('svc_runs', { status: 'awaiting_approval', lane: 'background' })).toBe(1)
    expect(grown('svc_gates_open')).toBe(1)
    expect(after.value('svc_lane_slots', { lane: 'realtime' })).toBe(4)
    expect(after.value('svc_lane_slots', { lane: 'background' })).toBe(4)
    expect(after.value('svc_audit_outbox_records')).toBeGreaterThan(0)
  })

  it('shows how many pipelines are open, by status, and none that has ended', async () => {
    const world = await sharedWorld()
    const figures = async () => {
      const text = await (await world.api.get('/metrics', world.as('owner'))).text()
      return (status: string) =>
        Number(new RegExp(`^svc_pipelines\\{status="${status}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
    }
    const before = await figures()
    await world.pipeline('ended')
    await world.pipeline('parked')
    await world.pipeline('queued')
    const now = await figures()
    for (const status of ['blocked', 'queued']) expect([status, now(status) - before(status)]).toEqual([status, 1])
    expect(now('cancelled')).toBe(0)
  })

  it('counts what began and ended once, however often it is asked', async () => {
    const ended = { status: 'succeeded', lane: 'background' }
    const before = await scrape()
    const id = await admitTestRun(api, { lane: 'background' })
    await finishTestRun(api, id)
    await Promise.all([scrape(), scrape(), scrape()])
    const after = await scrape()
    expect(after.value('svc_runs_ended_total', ended) - before.value('svc_runs_ended_total', ended)).toBe(1)
    const count = (figures: Figures) => figures.value('svc_lane_wait_seconds_count', { lane: 'background' })
    expect(count(after) - count(before)).toBeGreaterThanOrEqual(1)
  })

  it('counts starts by what became of them and where they came from', async () => {
    const start = (template: string) => api.post('/triggers/manual', { pack: 'incident', template })
    const before = await scrape()
    await start('service-recovery')
    await start('unknown')
    const pattern = { pattern: 'x', service: 'y', pack: 'incident', template: 'service-recovery' }
    await api.post('/triggers/pattern', pattern)
    await api.post('/triggers/pattern', pattern)
    const after = await scrape()
    const grown = (outcome: string, source: string) =>
      after.value('svc_run_admissions_total', { outcome, source }) -
      before.value('svc_run_admissions_total', { outcome, source })
    expect(grown('started', 'manual')).toBe(1)
    expect(grown('not_found', 'manual')).toBe(1)
    expect(grown('started', 'pattern')).toBe(1)
    expect(grown('attached', 'pattern')).toBe(1)
  })
})

describe('GET /healthz?verbose', () => {
  it('shows each lane with its waits of the last five minutes', async () => {
    await database.db`update runs set started_at = null where status = 'queued'`
    await database.db`update runs set queued_at = now() - interval '1 hour', started_at = now() - interval '10 minutes'
      where started_at is not null`
    for (const wait_ms of [4_000, 500, 600]) {
      const id = await admitTestRun(api, { lane: 'realtime' })
      await api.runs.take(id)
      await beganAfter(id, wait_ms)
    }
    const fresh = await createTestApi(database)
    try {
      const body = z
        .looseObject({ lanes: z.record(z.string(), z.looseObject({ running: z.int() })) })
        .parse(await (await fresh.get('/healthz?verbose')).json())
      const { realtime, background } = body.lanes
      expect(realtime).toMatchObject({ limit: 4, wait_p50_ms: 600, wait_p99_ms: 4_000 })
      expect(realtime?.running).toBeGreaterThanOrEqual(3)
      expect(background).not.toHaveProperty('wait_p50_ms')
      expect(body['versions']).toMatchObject({ node: process.versions.node, postgres: expect.stringMatching(/^\d+/) })
    } finally {
      await fresh.close()
    }
  })

  it('names what does not load', async () => {
    const fault = { file: 'rules/a.yaml', line: 3, column: 1, message: 'no' }
    const broken = await createTestApi(database, {
      services: { packs: { ...onePack(), errors: () => [{ pack: 'sre', faults: [fault], in_force: '1.0.0' }] } },
      channels: {
        ...NO_CHANNELS,
        secretProblems: () => [{ channel: 'ops', reference: 'env:OPS', problem: 'OPS is not set' }],
      },
      content: { environments: { ...api.deps.services.environments, errors: () => [fault], list: () => [] } },
    })
    try {
      expect(await (await broken.get('/healthz?verbose')).json()).toMatchObject({
        channels: [{ channel: 'ops', problem: 'OPS is not set' }],
        packs: [{ pack: 'sre', problems: ['rules/a.yaml:3:1: no'], in_force: '1.0.0' }],
        environments: [expect.stringContaining('no environment development'), 'rules/a.yaml:3:1: no'],
        policies: [],
      })
    } finally {
      await broken.close()
    }
  })

  it('is the plain answer for anyone who is not signed in', async () => {
    const closed = await createTestApi(database, { secret: 'a secret that is long enough for HS256' })
    try {
      const response = await closed.get('/healthz?verbose')
      expect(Object.keys(Object(await response.json()))).toEqual(['status', 'checks'])
      expect((await closed.get('/metrics')).status).toBe(401)
    } finally {
      await closed.close()
    }
  })
})
