import { beforeEach, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import { createRunViews } from '#store/runs/run-views.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

let service: ReturnType<typeof createAlertService>

const database = testDatabase()
beforeEach(() => {
  service = createAlertService(database.db)
})

type Sent = Parameters<typeof groupOf>[0][number] & { summary?: string; ends_at?: string }
const bodyOf = (alerts: Sent[]) => {
  const group = groupOf(alerts)
  const changed = group.alerts.map((alert, n) => ({
    ...alert,
    annotations: { summary: alerts[n]?.summary ?? 'is down' },
    generatorURL: 'https://prometheus.example/graph',
    ...(alerts[n]?.ends_at !== undefined && { endsAt: alerts[n].ends_at }),
  }))
  return { ...group, alerts: changed }
}
const receive = async (alerts: Sent[], from = service) =>
  (await receiveAlerts(from.ctx, { body: bodyOf(alerts) })).results
const kept = async (runId: string | undefined) =>
  (await createRunViews(database.tenants).find(DEFAULT_WORKSPACE_ID, runId ?? ''))?.trigger
const states = async (runId: string | undefined) =>
  (await kept(runId))?.members.map(({ member, status, alert }) => [member, status, alert.title])

test('a run keeps the alert that started it, as it was then, and the last state of every member', async () => {
  const [started] = await receive([
    { service: 'kept', id: 'a', summary: 'first' },
    { service: 'kept', id: 'b', summary: 'second' },
  ])
  await receive([{ service: 'kept', id: 'a', summary: 'worse' }])
  const on_record = await kept(started?.run_id)
  expect(on_record?.alert).toEqual({
    source: 'alertmanager',
    service: 'kept',
    symptom: 'Down',
    status: 'firing',
    severity: 'medium',
    external_id: 'a',
    title: 'first',
    generator_url: 'https://prometheus.example/graph',
    labels: { alertname: 'Down', service: 'kept' },
    annotations: { summary: 'first' },
    links: [{ title: 'Expression', url: 'https://prometheus.example/graph' }],
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  })
  expect(await states(started?.run_id)).toEqual([
    ['a', 'firing', 'worse'],
    ['b', 'firing', 'second'],
  ])
})

test('a member that recovers says so and when, and fires again with what was known of it', async () => {
  const alert = { service: 'recovers', id: 'a', summary: 'same' }
  const [started] = await receive([alert])
  await receive([{ ...alert, status: 'resolved', ends_at: '2026-01-01T12:30:00Z' }])
  const resolved = await kept(started?.run_id)
  expect(resolved?.members[0]).toMatchObject({
    status: 'resolved',
    alert: { title: 'same', ends_at: '2026-01-01T12:30:00.000Z' },
  })
  // this process knows the state and does not send it again, another one does
  for (const process of [service, createAlertService(database.db)]) {
    await receive([{ ...alert, status: 'resolved' }], process)
    await receive([alert], process)
    const again = await kept(started?.run_id)
    expect(again?.members[0]).toMatchObject({ status: 'firing', alert: { title: 'same' } })
    expect(again?.members[0]?.alert).not.toHaveProperty('ends_at')
  }
  expect(resolved?.alert.status).toBe('firing')
})

test('of a run with many members sixteen are kept, the others by their digests, and the record says so', async () => {
  const many = Array.from({ length: 40 }, (_, n) => ({ service: 'many', id: `m${n}` }))
  const [started] = await receive(many.slice(0, 10))
  expect((await kept(started?.run_id))?.members_cut).toBe(false)
  await Promise.all(many.slice(10).map((each) => receive([each])))
  await receive([{ service: 'many', id: 'm39', summary: 'changed' }])
  await receive([{ service: 'many', id: 'm0', summary: 'changed' }])
  const on_record = await kept(started?.run_id)
  expect(on_record).toMatchObject({ members_cut: true })
  expect(on_record?.members).toHaveLength(16)
  expect(on_record?.members[0]).toMatchObject({ member: 'm0', alert: { title: 'changed' } })
  const [row] = await database.db`
    select count(*)::int as alerts, count(digest)::int as digests, count(distinct digest)::int as distinct
    from run_alerts where run_id = ${started?.run_id ?? ''}`
  expect(row).toEqual({ alerts: 42, digests: 42, distinct: 42 })
})

test('the largest alerts of the most members stay within 64 kB', async () => {
  const wide = (id: string) => ({ service: 'wide', id, summary: 'ü'.repeat(40_000) })
  const [started] = await receive(Array.from({ length: 20 }, (_, n) => wide(`m${n}`)))
  const [row] = await database.db<{ bytes: number }[]>`
    select (select octet_length(alert::text) from run_trigger_alerts t where t.run_id = r.id)
      + (select sum(octet_length(alert::text)) from run_alert_states s where s.run_id = r.id)::int as bytes
    from runs r where id = ${started?.run_id ?? ''}`
  // as jsonb is written there is a space after each colon and comma
  expect(row?.bytes).toBeLessThan(65_536 + 17 * 100)
  expect(await kept(started?.run_id)).toMatchObject({ alert: { cut: ['title', 'annotations'] }, members_cut: true })
})

test('what another process knew of a run that has ended is not taken for known of the next', async () => {
  const alert = { service: 'next', id: 'a', summary: 'again' }
  const [first] = await receive([alert])
  await database.db`update runs set status = 'failed', error = '{}', ended_at = now() where id = ${first?.run_id ?? ''}`
  const other = createAlertService(database.db)
  const [second] = await receive([{ ...alert, id: 'b' }], other)
  expect(await receive([alert])).toMatchObject([{ outcome: 'attached', run_id: second?.run_id }])
  expect(await states(second?.run_id)).toEqual([
    ['b', 'firing', 'again'],
    ['a', 'firing', 'again'],
  ])
})

test('duplicates of what is known write one row each and nothing else', async () => {
  const alert = { service: 'flat', id: 'a' }
  const [started] = await receive([alert])
  const written = async () =>
    database.db`select xmin::text, ctid::text from run_alert_states where run_id = ${started?.run_id ?? ''}`
  const before = await written()
  for (let n = 0; n < 5; n++) await receive([alert, alert])
  await receive([alert], createAlertService(database.db))
  expect(await written()).toEqual(before)
})

test('what became a secret input is in no record of the alert, nor of those that attach later', async () => {
  const alert = { service: 'leaky', alertname: 'WithToken', id: 'a', url: 'hunter2-of-the-alert' }
  const [started] = await receive([{ ...alert, summary: 'leaks hunter2-of-the-alert' }])
  await receive([{ ...alert, id: 'b', url: 'hunter2-of-another', summary: 'and hunter2-of-another' }])
  const on_record = await kept(started?.run_id)
  expect(on_record?.alert).toMatchObject({ labels: { url: '<secret:token>' }, title: 'leaks <secret:token>' })
  expect(on_record?.members[1]?.alert).toMatchObject({ labels: { url: '<secret:token>' }, title: 'and <secret:token>' })
  expect(JSON.stringify(on_record)).not.toContain('hunter2')
})
