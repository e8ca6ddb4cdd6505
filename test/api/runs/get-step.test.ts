import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { canonicalText } from '#core/json/canonical.ts'
import { RunStepDetail } from '#core/run/step-schema.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { admitTestRun, logEvents, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('getStep')

const database = testDatabase()
const api = testApi(database)

const digestOf = (value: object) => `sha256:${createHash('sha256').update(canonicalText(value)).digest('hex')}`
const read = async (id: string, step: string) => {
  const response = await api.get(`/runs/${id}/steps/${step}`)
  expect(response.status).toBe(200)
  return z.strictObject(RunStepDetail.shape).parse(await response.json())
}

describe('GET /runs/{id}/steps/{step}', () => {
  it('answers inputs as shown, outputs, simulation, cost, the log and every attempt with its error', async () => {
    const id = await admitTestRun(api)
    const step = { step_id: 'act', ordinal: 1 }
    const inputs = { digest: digestOf({ method: 'POST' }), bytes: 17, value: { method: 'POST' } }
    const plan_hash = `sha256:${'c'.repeat(64)}`
    const failure = { code: 'unreachable', message: 'no answer', retryable: true, step: 'act' }
    const event = (n: number, type: 'started' | 'failed' | 'completed', data = {}) => ({
      key: `step/act/${n}/${type}`,
      type: `step.${type}` as const,
      step: 'act',
      data: { attempt: n, ...data },
    })
    await api.runs.take(id)
    const open = (attempt: number) => ({
      ...step,
      attempt,
      plan_hash,
      inputs,
      reserve_micro_usd: 50,
      ask_standing: false,
    })
    await api.runs.record({ run_id: id, fence: 1, open: open(1), events: [event(1, 'started')] })
    await api.runs.record({
      run_id: id,
      fence: 1,
      settle: { ...step, attempt: 1, state: 'ready', error: failure, llm_micro_usd: 20, outputs: { until: 'x' } },
      events: [event(1, 'failed', failure)],
    })
    expect(await read(id, 'act')).toMatchObject({ state: 'ready', error: failure })
    expect(await read(id, 'act')).not.toHaveProperty('outputs')
    await api.runs.record({
      run_id: id,
      fence: 1,
      open: open(2),
      events: [event(2, 'started'), ...logEvents(2, { m: 'x' })],
    })
    const outputs = { status: 200, nested: { list: [1, 'two', null] } }
    await api.runs.record({
      run_id: id,
      fence: 1,
      settle: { ...step, attempt: 2, state: 'succeeded', outputs, simulation: { ok: true }, llm_micro_usd: 30 },
      events: [event(2, 'completed')],
    })
    expect(await read(id, 'act')).toEqual({
      run_id: id,
      id: 'act',
      name: 'act',
      operator: 'http.request@1',
      action_type: expect.any(String),
      state: 'succeeded',
      attempt: 2,
      started_at: expect.any(String),
      ended_at: expect.any(String),
      plan_hash,
      inputs,
      outputs: { digest: digestOf(outputs), bytes: 47, value: outputs },
      simulation: { digest: digestOf({ ok: true }), bytes: 11, value: { ok: true } },
      cost_usd: 0.00005,
      gates: [],
      links: { self: `/runs/${id}/steps/act`, run: `/runs/${id}`, events: `/runs/${id}/events` },
      attempts: [
        {
          number: 1,
          started_at: expect.any(String),
          ended_at: expect.any(String),
          outcome: 'failed',
          error: failure,
          cost_usd: 0.00002,
        },
        {
          number: 2,
          started_at: expect.any(String),
          ended_at: expect.any(String),
          outcome: 'succeeded',
          cost_usd: 0.00003,
        },
      ],
      logs: Array.from({ length: 2 }, () => ({ seq: expect.any(Number), ts: expect.any(String), data: { m: 'x' } })),
    })
  })

  it('names the gates of the step', async () => {
    const id = await admitTestRun(api)
    const gate_id = await parkTestRun(api, id)
    expect(await read(id, 'act')).toMatchObject({ state: 'awaiting_approval', gates: [{ gate_id, status: 'open' }] })
  })

  it('answers a foreign run, an unknown one, and an unknown step with the same bytes', async () => {
    const workspace_id = 'ws_11111111111111111111111111'
    await database.db`insert into workspaces (id, slug, name) values (${workspace_id}, 'other', 'Other')`
    const foreign = await admitTestRun(api, { workspace_id })
    const own = await admitTestRun(api)
    const paths = [
      `${foreign}/steps/act`,
      'run_00000000000000000000000000/steps/act',
      `${own}/steps/nope`,
      `${foreign}/steps`,
    ]
    const bodies = await Promise.all(
      paths.map(async (path) => {
        const response = await api.get(`/runs/${path}`)
        expect(response.status).toBe(404)
        const { request_id: _, instance: _i, ...rest } = z.record(z.string(), z.unknown()).parse(await response.json())
        return JSON.stringify(rest)
      }),
    )
    expect(new Set(bodies).size).toBe(1)
  })
})
