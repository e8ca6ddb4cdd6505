import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { PatternResult } from '#api/schemas/triggers.ts'
import { Run } from '#core/run/schema.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { startingEngine, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('receivePattern')

let rules: TriggerRule[] = []

const database = testDatabase()
const api = testApi(database, { services: { engine: startingEngine() } })
beforeAll(async () => {
  const { environments } = api.deps.services
  Object.assign(environments, { rules: () => rules })
})

const EVIDENCE = [{ title: 'Error rate', ref: 'https://grafana.example/d/7', digest: 'sha256:00' }]

function rule(more: Partial<TriggerRule> = {}): TriggerRule {
  return {
    name: 'spikes',
    on: 'pattern',
    match: { symptom: 'Spike*', severity: [], labels: {} },
    run: 'incident/service-recovery',
    inputs: { service: '$' + '{{ alert.service }}' },
    on_resolved: 'record',
    limits: {},
    layer: 'overlay',
    origin: 'rules/test.yaml',
    ...more,
  }
}

async function send(body: object) {
  const response = await api.post('/triggers/pattern', body)
  expect(response.status).toBe(202)
  return z.strictObject(PatternResult.shape).parse(await response.json())
}

async function runOf({ run_id }: { run_id?: string | undefined }) {
  return Run.parse(await (await api.get(`/runs/${run_id}`)).json())
}

describe('POST /triggers/pattern', () => {
  it('starts the template that it names, in the realtime lane, and keeps the evidence', async () => {
    const result = await send({
      pattern: 'Leak',
      service: 'checkout',
      confidence: 0.9,
      evidence: EVIDENCE,
      pack: 'incident',
      template: 'service-recovery',
      inputs: { url: 'http://127.0.0.1:1' },
    })
    expect(result).toMatchObject({ outcome: 'started', fingerprint: 'pattern|checkout|leak', attached_count: 0 })
    const run = await runOf(result)
    expect(run).toMatchObject({ lane: 'realtime', inputs: { url: 'http://127.0.0.1:1' } })
    expect(run.provenance).toMatchObject({
      trigger: { type: 'pattern', pattern: 'Leak', service: 'checkout', confidence: 0.9, evidence: EVIDENCE },
    })
    expect(run.trigger).toMatchObject({
      alert: { source: 'pattern', service: 'checkout', title: 'Leak', labels: { pattern: 'Leak', confidence: '0.9' } },
      members: [{ status: 'firing', title: 'Leak' }],
      members_cut: false,
    })
  })

  it('the same signal attaches to its run while that is active, named or by rule', async () => {
    rules = [rule({ match: { symptom: 'Flood', severity: [], labels: {} } })]
    const named = { pattern: 'Flood', service: 'cart', pack: 'incident', template: 'service-recovery' }
    const first = await send(named)
    const again = await send({ ...named, service: ' CART ' })
    const byRule = await send({ pattern: 'Flood', service: 'cart' })
    expect([first.outcome, again.outcome, byRule.outcome]).toEqual(['started', 'attached', 'attached'])
    expect([again.run_id, byRule.run_id]).toEqual([first.run_id, first.run_id])
    expect(byRule).toMatchObject({ attached_count: 2, rule: 'spikes' })
  })

  it('rules with `on: pattern` choose, by symptom or pattern, with what they map above what is sent', async () => {
    rules = [rule({ name: 'alerts-only', on: 'alert', match: { severity: [], labels: {} } }), rule()]
    const result = await send({ pattern: 'Spike5xx', service: 'search', inputs: { service: 'forged', extra: 1 } })
    expect(result).toMatchObject({ outcome: 'started', rule: 'spikes' })
    const run = await runOf(result)
    expect(run.inputs).toEqual({ service: 'search', extra: 1 })
    expect(run.provenance).toMatchObject({ trigger: { type: 'pattern', rule: 'spikes' } })
    const bySymptom = await send({ pattern: 'model-7', symptom: 'SpikeLatency', service: 'search' })
    expect(bySymptom).toMatchObject({ outcome: 'started', fingerprint: 'pattern|search|spikelatency' })
  })

  it('rules read the name and the confidence as labels', async () => {
    rules = [
      rule({ match: { severity: [], labels: { pattern: 'drift-*' }, when: 'double(alert.labels.confidence) > 0.8' } }),
    ]
    expect((await send({ pattern: 'drift-7', symptom: 'x', service: 'a', confidence: 0.5 })).outcome).toBe('unmatched')
    expect((await send({ pattern: 'drift-7', symptom: 'x', service: 'a', confidence: 0.9 })).outcome).toBe('started')
  })

  it('says that nothing fits, and why inputs cannot be mapped', async () => {
    rules = []
    expect(await send({ pattern: 'Spike', service: 'a' })).toEqual({
      outcome: 'unmatched',
      fingerprint: 'pattern|a|spike',
    })
    rules = [rule({ inputs: { url: '$' + '{{ alert.labels.url }}' } })]
    expect(await send({ pattern: 'Spike', service: 'b' })).toMatchObject({
      outcome: 'unmatched',
      detail: expect.stringContaining('spikes'),
    })
  })

  it('a rule that has started its share of runs starts no more', async () => {
    rules = [rule({ limits: { max_runs: { count: 1, per: 3_600_000 } } })]
    const first = await send({ pattern: 'SpikeOnce', service: 'a' })
    await finishTestRun(api, first.run_id ?? '')
    expect(await send({ pattern: 'SpikeOnce', service: 'a' })).toMatchObject({ outcome: 'throttled', rule: 'spikes' })
  })

  it('a template that is named and not there is 404', async () => {
    const named = { pattern: 'x', service: 'y', pack: 'incident', template: 'unknown' }
    expect((await api.post('/triggers/pattern', named)).status).toBe(404)
  })

  it.each([
    ['half a template', { pattern: 'x', service: 'y', pack: 'incident' }],
    ['no service', { pattern: 'x' }],
    ['a lane', { pattern: 'x', service: 'y', lane: 'realtime' }],
    ['a confidence above one', { pattern: 'x', service: 'y', confidence: 2 }],
    ['evidence without a place', { pattern: 'x', service: 'y', evidence: [{ title: 't' }] }],
  ])('%s is a violation', async (_what, body) => {
    expect((await api.post('/triggers/pattern', body)).status).toBe(422)
  })
})
