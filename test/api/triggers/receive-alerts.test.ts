import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AlertResults } from '#api/routes/triggers/receive-alerts.ts'
import { startingEngine, testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { itRefuses } from '#test/support/refused-operation.ts'

itIsGuarded('receiveAlerts')

const started: string[] = []

const database = testDatabase()
const api = testApi(database, {
  services: { engine: startingEngine(async (input) => void started.push(input.run_id)) },
})

itRefuses('receiveAlerts', () => ({ api }), [
  [422, 'unrecognised_alert', () => () => api.post('/triggers/alert', { what: 1 })],
])

describe('POST /triggers/alert', () => {
  it('takes JSON, and text only from SNS', async () => {
    const text = { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } }
    expect((await api.app.request('/triggers/alert', text)).status).toBe(415)
    expect(
      (
        await api.app.request('/triggers/alert', {
          method: 'POST',
          body: 'x',
          headers: { 'content-type': 'application/xml' },
        })
      ).status,
    ).toBe(415)
    const sns = { ...text, headers: { ...text.headers, 'x-amz-sns-message-type': 'Notification' } }
    expect([202, 422]).toContain((await api.app.request('/triggers/alert', sns)).status)
    expect((await api.app.request('/triggers/alert', { ...sns, body: '{' })).status).toBe(400)
  })

  it('says of every alert what became of it, in the documented shape', async () => {
    const response = await api.post('/triggers/alert', { source: 'ci', service: 'checkout', symptom: 'errors' })
    expect(response.status).toBe(202)
    expect(z.strictObject(AlertResults.shape).parse(await response.json())).toMatchObject({
      results: [{ outcome: 'unmatched' }],
    })
  })

  it('takes a thousand alerts and not one more', async () => {
    const alerts = (count: number) => ({
      version: '4',
      groupKey: 'g',
      alerts: Array.from({ length: count }, (_, n) => ({
        status: 'firing',
        labels: { alertname: `a${n}`, service: 's' },
        annotations: {},
      })),
    })
    expect((await api.post('/triggers/alert', alerts(1_000))).status).toBe(202)
    expect((await api.post('/triggers/alert', alerts(1_001))).status).toBe(413)
  })

  it('an odd label of one alert does not refuse the others', async () => {
    const odd = '{"status":"firing","labels":{"__proto__":"x","half\\ud800":"y","alertname":"Odd"},"annotations":{}}'
    const plain = '{"status":"firing","labels":{"alertname":"Plain"},"annotations":{}}'
    const body = `{"version":"4","groupKey":"g","groupLabels":{"__proto__":"x"},"alerts":[${odd},${plain}]}`
    const headers = { 'content-type': 'application/json' }
    const response = await api.app.request('/triggers/alert', { method: 'POST', body, headers })
    expect(response.status).toBe(202)
    expect(AlertResults.parse(await response.json()).results).toHaveLength(2)
    // and so anywhere else in the payload
    const outside = `{"version":"4","__proto__":{},"alerts":[${plain}]}`
    expect((await api.app.request('/triggers/alert', { method: 'POST', body: outside, headers })).status).toBe(202)
  })

  it('a payload of no known shape is 422, an unknown source too', async () => {
    expect((await api.app.request('/triggers/alert', { method: 'POST' })).status).toBe(422)
    expect((await api.post('/triggers/alert?source=unheard', {})).status).toBe(422)
  })
})
