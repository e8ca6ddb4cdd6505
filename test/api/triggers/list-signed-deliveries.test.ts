import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DeliveryTrace } from '#core/ingress/trace-schema.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { createTestInbox } from '#test/support/inbox.ts'
import { createIngressApi, deployment, order, post, SECRETS } from '#test/support/ingress.ts'
import { itRefuses, likeItsExample, type Prepare } from '#test/support/refused-operation.ts'
import { finishTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listSignedDeliveries')
itRefuses('listSignedDeliveries', sharedWorld, [
  [400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })],
  ...['2026-02-30 00:00:00+00', '0000-01-01 00:00:00+00', '2026-01-01 00:00:00+16'].map(
    (time): [400, 'invalid_cursor', Prepare<GuardWorld>] => [
      400,
      'invalid_cursor',
      likeItsExample({
        query: { cursor: Buffer.from(`${time}|dlv_00000000000000000000000000`).toString('base64url') },
      }),
    ],
  ),
])

let away = false

const database = testDatabase()
const inbox = fileFixture(() => createTestInbox(database))
const api = fileFixture(() => createIngressApi(database))
const durable = fileFixture(() => createIngressApi(database, { intake: { inbox, away: () => away } }))
afterEach(async () => {
  away = false
  await database.db`delete from ingress_deliveries`
})

const list = async (query = '') =>
  z.array(DeliveryTrace).parse(await (await api.get(`/triggers/deliveries${query}`)).json())
const newest = async () => (await list())[0] ?? expect.fail('nothing is on record')
/** the results of what is done with a delivery that is believed */
const acted = ({ stages }: DeliveryTrace) => stages.slice(-4).map(({ result }) => result)

describe('GET /triggers/deliveries', () => {
  it('says of each stage what it came to, with the rule and the run', async () => {
    const { body } = await post(api, deployment({ service: 'traced' }))
    expect(await newest()).toEqual({
      delivery_id: body.delivery_id,
      ingress: 'sre/github-deployments',
      received_at: expect.any(String),
      outcome: 'started',
      scheme: 'github',
      rule: 'deployment-failed',
      run_id: body.run_id,
      stages: [
        { stage: 'received', result: 'passed' },
        { stage: 'signature', result: 'passed' },
        // GitHub signs no time
        { stage: 'replay_window', result: 'not_checked' },
        { stage: 'repeat', result: 'passed' },
        { stage: 'when', result: 'passed' },
        { stage: 'normalize', result: 'passed' },
        { stage: 'rules', result: 'passed', detail: 'deployment-failed' },
        { stage: 'run', result: 'passed' },
      ],
    })
    await post(api, deployment({ service: 'traced' }))
    expect(await newest()).toMatchObject({ outcome: 'attached', run_id: body.run_id })
  })

  it('says where a delivery ended, and why', async () => {
    await post(api, deployment({ service: 'none', state: 'pending' }))
    expect(acted(await newest())).toEqual(['stopped', 'not_reached', 'not_reached', 'not_reached'])
    await post(api, JSON.stringify({ deployment_status: { state: 'failure' } }))
    const half = await newest()
    expect(acted(half)).toEqual(['passed', 'stopped', 'not_reached', 'not_reached'])
    expect(half.stages.at(-3)?.detail).toMatch(/^service: /)
    await post(api, deployment({ service: 'none', state: 'success' }))
    expect(acted(await newest())).toEqual(['passed', 'passed', 'not_checked', 'stopped'])
    const limited = { path: '/triggers/ingress/sre/limited', secret: SECRETS.limited, headers: { 'x-title': 'Over' } }
    const send = (n: number) => post(api, JSON.stringify({ service: 'over', n }), limited)
    const { body } = await send(1)
    await api.runs.take(body.run_id ?? '')
    await finishTestRun(api, body.run_id ?? '')
    await send(2)
    const over = await newest()
    expect(over).toMatchObject({ ingress: 'sre/limited', outcome: 'throttled', rule: 'limited' })
    expect(acted(over)).toEqual(['passed', 'passed', 'passed', 'stopped'])
  })

  it('says why no rule fits', async () => {
    const rules = api.deps.services.packs.list().flatMap(({ ingress }) => ingress.flatMap((each) => each.rules))
    const kept = rules.map((rule) => ({ rule, match: rule.match }))
    for (const { rule, match } of kept) rule.match = { ...match, service: 'somebody-else', severity: ['high'] }
    const { body } = await post(api, deployment({ service: 'unfit' }))
    expect(JSON.stringify(body), 'the sender is told nothing of rules').not.toContain('somebody-else')
    for (const { rule, match } of kept) rule.match = match
    const trace = await newest()
    expect(acted(trace)).toEqual(['passed', 'passed', 'stopped', 'not_reached'])
    expect(trace.stages.at(-2)?.detail).toContain('somebody-else')
  })

  it('says that a signed time was checked, and lists no repeat, nothing refused and nothing of others', async () => {
    const id = 'msg-1'
    await order(api, JSON.stringify({ service: 'ordered' }), SECRETS.new, { id })
    await order(api, JSON.stringify({ service: 'ordered' }), SECRETS.new, { id })
    await post(api, deployment({ service: 'forged' }), { secret: 'not the secret' })
    const all = await list()
    expect(all).toHaveLength(1)
    expect(all[0]?.stages[2]).toEqual({ stage: 'replay_window', result: 'passed' })
    expect(await list('?ingress=sre/orders')).toHaveLength(1)
    expect(await list('?ingress=sre/github-deployments')).toEqual([])
    expect((await api.get('/triggers/deliveries?ingress=nonsense')).status).toBe(422)
  })

  it('pages, newest first', async () => {
    for (const service of ['a', 'b', 'c']) await post(api, deployment({ service }))
    const first = await api.get('/triggers/deliveries?limit=2')
    expect(first.headers.get('x-total-count')).toBe('3')
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? expect.fail('no next page')
    const both = [...z.array(DeliveryTrace).parse(await first.json())]
    both.push(...z.array(DeliveryTrace).parse(await (await api.get(next)).json()))
    expect(both.map(({ delivery_id }) => delivery_id)).toEqual((await list()).map(({ delivery_id }) => delivery_id))
  })

  it('says what waits in the inbox, and no more than is on record of what was processed from there', async () => {
    away = true
    const { body } = await post(durable, deployment({ service: 'waiting' }))
    expect(body.outcome).toBe('received')
    const waiting = await newest()
    expect(waiting.outcome).toBe('received')
    expect(acted(waiting)).toEqual(['pending', 'pending', 'pending', 'pending'])
    await inbox.items.settle({ id: body.delivery_id ?? '', claim: '' }, { status: 'unmatched' })
    const processed = await newest()
    expect(processed.outcome).toBe('unmatched')
    expect(acted(processed)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
  })
})
