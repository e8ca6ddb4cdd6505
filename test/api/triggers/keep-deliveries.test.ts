import { afterEach, describe, expect, it } from 'vitest'
import { AlertResults } from '#api/routes/triggers/receive-alerts.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { alert, openInboxWorld } from '#test/support/inbox-world.ts'

const world = fileFixture(openInboxWorld)
afterEach(() => world.reset())

describe('without an inbox', () => {
  it('its routes say that there is none', async () => {
    const answers = [
      await world.off.get('/triggers/inbox'),
      await world.off.post('/triggers/inbox', { route: '/triggers/alert', body: {} }),
      await world.off.post('/triggers/inbox/replay', { ids: ['dlv_00000000000000000000000000'], mode: 'force' }),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(501)
      expect(await answer.json()).toMatchObject({
        code: 'not_configured',
        detail: expect.stringContaining('OBS_TRIGGER_DURABLE'),
      })
    }
  })

  it('triggers refuse while the engine is away, and say when to come again', async () => {
    world.away = true
    const before = await world.runs()
    const answer = await world.off.post('/triggers/alert', alert('nobody-there'))
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await answer.json()).toMatchObject({ code: 'dependency_unavailable' })
    expect(await world.runs()).toBe(before)
  })
})

describe('with an inbox', () => {
  it('an alert is answered with what became of it, and with its place in the inbox', async () => {
    const answer = await world.api.post('/triggers/alert?source=generic', alert('shop'), { 'user-agent': 'probe/1' })
    expect(answer.status).toBe(202)
    const { delivery_id, results } = AlertResults.parse(await answer.json())
    expect(results).toMatchObject([{ outcome: 'started' }])
    expect(await world.only()).toMatchObject({
      id: delivery_id,
      route: '/triggers/alert',
      source: 'generic',
      status: 'started',
      attempts: 1,
      run_id: results[0]?.run_id,
      headers: { 'content-type': 'application/json', 'user-agent': 'probe/1' },
    })
    const [alerts] = await world.database
      .db`select provenance #>> '{trigger,delivery_id}' as id from runs where id = ${results[0]?.run_id ?? ''}`
    expect(alerts?.['id']).toBe(delivery_id)
  })

  it('while the engine is away alerts are accepted, kept and started later, in their order and exactly', async () => {
    world.away = true
    const before = (await world.runs()) ?? 0
    for (const service of ['a', 'b', 'a', 'a', 'b']) {
      const answer = await world.api.post('/triggers/alert', alert(`away-${service}`))
      expect(answer.status).toBe(202)
      expect(await answer.json()).toEqual({
        delivery_id: expect.stringMatching(/^dlv_/),
        outcome: 'received',
        results: [],
      })
    }
    expect(await world.drain()).toBe(0)
    expect(await world.runs()).toBe(before)
    world.away = false
    expect(await world.drain()).toBe(5)
    expect(await world.runs()).toBe(before + 2)
    const statuses = (await world.list()).map((item) => item.status).toReversed()
    expect(statuses).toEqual(['started', 'started', 'attached', 'attached', 'attached'])
  })

  it('a refused body is in the inbox with its refusal', async () => {
    expect((await world.api.post('/triggers/alert', { what: 1 })).status).toBe(422)
    expect(await world.only()).toMatchObject({ status: 'failed', error: { code: 'unrecognised_alert' } })
  })

  it('a repeat under the same Idempotency-Key is no second delivery', async () => {
    const send = () => world.api.post('/triggers/alert', alert('keyed'), { 'idempotency-key': 'inbox-1' })
    const first = await (await send()).json()
    expect(await (await send()).json()).toEqual(first)
    expect(await world.list()).toHaveLength(1)
  })
})

describe('a transition that nobody knows', () => {
  it('stands in the inbox with its reason, and starts nothing', async () => {
    const group = { version: '4', alerts: [{ status: 'snoozed', labels: { alertname: 'Down', service: 'odd' } }] }
    const { results } = AlertResults.parse(await (await world.api.post('/triggers/alert', group)).json())
    expect(results).toMatchObject([{ outcome: 'suppressed' }])
    expect(await world.only()).toMatchObject({
      status: 'unmatched',
      error: { code: 'suppressed', message: expect.stringContaining('"snoozed"') },
    })
  })
})
