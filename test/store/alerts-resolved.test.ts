import { expect, test } from 'vitest'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import { createAlertStore } from '#store/alerts/alerts.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

const database = testDatabase()
const service = fileFixture(() => createAlertService(database.db))

type Sent = Parameters<typeof groupOf>[0]
const receive = async (alerts: Sent) => (await receiveAlerts(service.ctx, { body: groupOf(alerts) })).results
const outcomes = async (alerts: Sent) => (await receive(alerts)).map((each) => each.outcome)

/** Events of the newest run of a service: its numbers without a gap, and what was said of each recovery. */
async function recoveries(name: string) {
  const rows = await database.db<{ seq: number; type: string; data: object }[]>`
    select seq, type, data from run_events
    where run_id = (select id from runs where fingerprint = ${`alertmanager|${name}|down`} order by id desc limit 1) order by seq`
  expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1))
  return rows.filter((row) => row.type === 'alert.resolved').map((row) => row.data)
}

test('a recovery counts for its member only, and says how many are still firing', async () => {
  const [started] = await receive(['a', 'b', 'c'].map((id) => ({ service: 'shop', id })))
  const [resolved] = await receive([{ service: 'shop', id: 'b', status: 'resolved' }])
  expect(resolved).toEqual({ fingerprint: 'alertmanager|shop|down', outcome: 'resolved', run_id: started?.run_id })
  await receive(['c', 'a'].map((id) => ({ service: 'shop', id, status: 'resolved' as const })))
  expect(await recoveries('shop')).toEqual([
    { member: 'b', remaining: 2 },
    { member: 'c', remaining: 1 },
    { member: 'a', remaining: 0 },
  ])
  const rows = await database.db<{ member: string; status: string }[]>`
    select member, status from run_alerts where run_id = ${started?.run_id ?? ''} order by id`
  expect(rows.map((row) => `${row.member} ${row.status}`)).toEqual([
    'a firing',
    'b firing',
    'c firing',
    'b resolved',
    'c resolved',
    'a resolved',
  ])
})

test('without an active run there is nothing to resolve', async () => {
  expect(await outcomes([{ service: 'quiet', status: 'resolved' }])).toEqual(['unmatched'])
  await receive([{ service: 'quiet' }])
  await database.db`update runs set status = 'failed', error = '{}', ended_at = now() where fingerprint = 'alertmanager|quiet|down'`
  expect(await outcomes([{ service: 'quiet', status: 'resolved' }])).toEqual(['unmatched'])
  expect(await recoveries('quiet')).toEqual([])
})

test('a member that was never seen takes nobody with it', async () => {
  await receive([{ service: 'stranger', id: 'a' }])
  await receive([{ service: 'stranger', id: 'x', status: 'resolved' }])
  expect(await recoveries('stranger')).toEqual([{ member: 'x', remaining: 1 }])
})

test('in one delivery nobody is the last one while another is about to attach', async () => {
  await receive([{ service: 'overlap', id: 'a' }])
  const delivery: Sent = [
    { service: 'overlap', id: 'a', status: 'resolved' },
    { service: 'overlap', id: 'b' },
  ]
  expect(await outcomes(delivery)).toEqual(['resolved', 'attached'])
  expect(await recoveries('overlap')).toEqual([{ member: 'a', remaining: 1 }])
})

test('a delivery in which a member changes its mind is taken in its order', async () => {
  const flapping: Sent = (['firing', 'resolved', 'resolved', 'firing'] as const).map((status) => ({
    service: 'flapping',
    id: 'a',
    status,
  }))
  expect(await outcomes(flapping)).toEqual(['started', 'resolved', 'resolved', 'attached'])
  await receive([{ service: 'flapping', id: 'b', status: 'resolved' }])
  expect(await recoveries('flapping')).toEqual([
    { member: 'a', remaining: 0 },
    { member: 'b', remaining: 1 },
  ])
})

test('another workspace has nothing to say about a run', async () => {
  await receive([{ service: 'private', id: 'a' }])
  const store = createAlertStore(database.db)
  const answer = await store.resolve('ws_11111111111111111111111111', 'dlv_x', [
    { fingerprint: 'alertmanager|private|down', member: 'a' },
  ])
  expect(answer).toEqual([])
})

test('recoveries and attachments at the same time lose no member and no number', async () => {
  const members = Array.from({ length: 40 }, (_, n) => ({ service: `busy-${n % 4}`, id: `m${n}` }))
  await receive(members.filter((_, n) => n < 20))
  await Promise.all([
    ...members.slice(20).map((member) => receive([member])),
    ...members.slice(0, 20).map((member) => receive([{ ...member, status: 'resolved' }])),
    receive(
      members
        .slice(0, 20)
        .reverse()
        .map((member) => ({ ...member, status: 'resolved' })),
    ),
  ])
  for (let n = 0; n < 4; n++) {
    await receive([{ service: `busy-${n}`, id: 'nobody', status: 'resolved' }])
    expect((await recoveries(`busy-${n}`)).at(-1)).toEqual({ member: 'nobody', remaining: 5 })
  }
})

test('deliveries of several processes, each over many runs in its own order, never wait for each other in a circle', async () => {
  const services = Array.from({ length: 4 }, () => createAlertService(database.db))
  const names = Array.from({ length: 30 }, (_, n) => `circle-${n}`)
  await receive(names.map((service) => ({ service, id: 'a' })))
  const deliveries = services.flatMap(({ ctx }, process) =>
    Array.from({ length: 12 }, (_, n) => {
      const turned = [...names.slice(process * 7), ...names.slice(0, process * 7)]
      const ordered = n % 2 === 0 ? turned : turned.reverse()
      const alerts: Sent = ordered.map((name) => ({
        service: name,
        id: 'a',
        status: n % 3 === 0 ? 'resolved' : 'firing',
      }))
      return receiveAlerts(ctx, { body: groupOf(alerts) })
    }),
  )
  const results = (await Promise.all(deliveries)).flatMap((answer) => answer.results)
  const counts = ['attached', 'resolved'].map((outcome) => results.filter((each) => each.outcome === outcome).length)
  expect(counts).toEqual([4 * 8 * 30, 4 * 4 * 30])
  for (const name of names) await recoveries(name)
})

test('an attachment that commits while a recovery waits for the run is counted', async () => {
  await receive([{ service: 'late', id: 'a' }])
  const store = createAlertStore(database.db)
  const { workspace_id } = service.ctx
  const waiting = await database.db.begin(async (sql) => {
    const [run] = await sql<
      { id: string }[]
    >`select id from runs where fingerprint = 'alertmanager|late|down' for update`
    const resolving = store.resolve(workspace_id, 'dlv_x', [{ fingerprint: 'alertmanager|late|down', member: 'a' }])
    // until the recovery stands in line for the row
    for (let stuck = 0; stuck === 0; ) {
      const [row] = await database.db<{ stuck: number }[]>`
        select count(*)::int as stuck from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%resolve_alerts%'`
      stuck = row?.stuck ?? 0
    }
    await sql`insert into run_alerts (run_id, delivery_id, member, status) values (${run?.id ?? ''}, 'dlv_y', 'b', 'firing')`
    await sql`insert into run_alert_members (run_id, workspace_id, member, fired_at) values (${run?.id ?? ''}, ${workspace_id}, 'b', 'epoch')`
    return { resolving }
  })
  expect(await waiting.resolving).toMatchObject([{ member: 'a', remaining: 1 }])
})
