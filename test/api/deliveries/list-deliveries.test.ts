import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { NoticeDelivery } from '#core/notify/channel-schema.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { testApi } from '#test/support/api-client.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'
import { fillWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'

itIsGuarded('listDeliveries')
itRefuses('listDeliveries', sharedWorld, [[400, 'invalid_cursor', likeItsExample({ query: { cursor: 'nonsense' } })]])

const OTHER = 'ws_0000000000000000000000000b'
let run: string

const database = testDatabase()
const api = testApi(database)
beforeAll(async () => {
  await fillWorkspace(database, OTHER)
  run = await admitTestRun(api)
  const gate_id = await parkTestRun(api, run)
  const deliveries = createNoticeDeliveries(database.db)
  const to = ['arrived', 'again', 'never', 'waiting'].map((recipient) => ({ channel: 'mail', recipient }))
  await deliveries.plan({ gate_id, workspace_id: DEFAULT_WORKSPACE_ID }, 'opened', to)
  await deliveries.plan({ gate_id, workspace_id: DEFAULT_WORKSPACE_ID }, 'reminder', [
    { channel: 'chat', recipient: '#ops#1' },
  ])
  const planned = await deliveries.outstanding(gate_id, ['opened'])
  const [arrived, again, never] = planned.map(({ notice_id }) => notice_id)
  await deliveries.record(arrived ?? 0, { ok: true })
  await deliveries.record(again ?? 0, { ok: false, detail: 'mail.test answered 451', again_ms: 60_000 })
  await deliveries.record(again ?? 0, { ok: false, detail: 'mail.test answered 452', again_ms: 60_000 })
  await deliveries.record(never ?? 0, { ok: false, detail: 'mail.test answered 550' })
})

async function list(query = ''): Promise<z.infer<typeof NoticeDelivery>[]> {
  const answer = await api.get(`/deliveries${query}`)
  expect(answer.status).toBe(200)
  return z.array(NoticeDelivery).parse(await answer.json())
}
const named = (found: z.infer<typeof NoticeDelivery>[]) => found.map(({ recipient, state }) => `${recipient} ${state}`)

describe('GET /deliveries', () => {
  test('says of each notice whether it arrived, how often it was tried, why not, and when it is tried again', async () => {
    const [reminder, waiting, never, again, arrived] = await list()
    expect(waiting).toMatchObject({
      run_id: run,
      kind: 'opened',
      channel: 'mail',
      recipient: 'waiting',
      state: 'planned',
      attempts: 0,
    })
    expect(waiting?.last_attempt_at).toBeUndefined()
    expect(never).toMatchObject({ state: 'failed', attempts: 1, last_error: 'mail.test answered 550' })
    expect(never?.next_attempt_at).toBeUndefined()
    expect(again).toMatchObject({ state: 'retrying', attempts: 2, last_error: 'mail.test answered 452' })
    const wait_ms = Date.parse(again?.next_attempt_at ?? '') - Date.parse(again?.last_attempt_at ?? '')
    expect(wait_ms).toBe(60_000)
    expect(arrived).toMatchObject({ state: 'delivered', attempts: 1, delivered_at: expect.any(String) })
    expect(arrived?.last_error).toBeUndefined()
    expect(reminder).toMatchObject({ kind: 'reminder', channel: 'chat', state: 'planned' })
  })

  test.each([
    ['?state=failed,retrying', ['never failed', 'again retrying']],
    ['?state=delivered&channel=mail', ['arrived delivered']],
    ['?channel=chat', ['#ops#1 planned']],
    ['?until=2020-01-01T00:00:00Z', []],
  ])('%s', async (query, expected) => {
    expect(named(await list(query))).toEqual(expected)
  })

  test('goes on where a page ended, however odd the place that is asked for', async () => {
    const first = await api.get('/deliveries?limit=2&state=planned,failed,delivered')
    expect(first.headers.get('x-total-count')).toBe('4')
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const [one, two] = [
      z.array(NoticeDelivery).parse(await first.json()),
      z.array(NoticeDelivery).parse(await (await api.get(next)).json()),
    ]
    expect(named([...one, ...two])).toEqual(['#ops#1 planned', 'waiting planned', 'never failed', 'arrived delivered'])
    for (const id of [`ntf_${'9'.repeat(26)}`, `ntf_${'z'.repeat(26)}`, `ntf_${'0'.repeat(26)}`]) {
      const cursor = Buffer.from(`2026-01-01 00:00:00+00|${id}`).toString('base64url')
      expect((await api.get(`/deliveries?cursor=${cursor}`)).status).toBe(200)
    }
  })

  test('tells nobody of another workspace, and asks nobody any more once the gate was answered', async () => {
    const answer = await api.get('/deliveries', { 'x-svc-workspace': OTHER })
    const [theirs] = z.array(NoticeDelivery).parse(await answer.json())
    expect(theirs).toMatchObject({ recipient: 'somebody', state: 'failed' })
    expect(named(await list())).not.toContain('somebody failed')
    await database.db`update gates set status = 'cancelled', resolved_at = now(), resolution = '{}' where run_id = ${run}`
    expect(named(await list())).toEqual([
      '#ops#1 cancelled',
      'waiting cancelled',
      'never failed',
      'again failed',
      'arrived delivered',
    ])
  })
})
