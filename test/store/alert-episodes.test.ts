import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import { type EpisodeEvent, POSTED } from '#test/support/episode-events.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

const NEIGHBOUR = 'ws_0000000000000000000000000b'

const database = testDatabase()
const service = fileFixture(() => createAlertService(database.db))

const receive = async (body: unknown) => (await receiveAlerts(service.ctx, { body })).results

/** SVC_EPISODE_HISTORIES: so many for each tool. */
const HISTORIES = Number(process.env['SVC_EPISODE_HISTORIES'] ?? 60)
const AT_ONCE = 48

/** What has been said of an alert comes to this, in whichever order it arrives. */
const firesAfter = (received: readonly EpisodeEvent[], alert: string): boolean => {
  const last = (status: string) =>
    Math.max(-1, ...received.filter((sent) => sent.alert === alert && sent.status === status).map((sent) => sent.at))
  return last('firing') > last('resolved')
}

/** Two episodes of two alerts each that overlap, of which any statement is lost, repeated, or received in another order. */
const history = fc
  .tuple(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 8, maxLength: 8 }), fc.boolean())
  .chain(([steps, still_open]) => {
    const sent = (['a', 'b'] as const).flatMap((alert, n): EpisodeEvent[] => {
      let at = n * (steps[7] ?? 1)
      const times = steps.slice(n * 4, n * 4 + 4).map((step) => {
        at += step
        return at
      })
      const [first = 0, end = 0, again = 0, over = 0] = times
      return [
        { alert, status: 'firing', began: first, at: first },
        { alert, status: 'resolved', began: first, at: end },
        { alert, status: 'firing', began: again, at: again },
        ...(still_open && alert === 'a' ? [] : [{ alert, status: 'resolved' as const, began: again, at: over }]),
      ]
    })
    return fc.array(fc.constantFrom(...sent), { minLength: 3, maxLength: 12 })
  })

describe.each(Object.entries(POSTED))('episodes of %s', (tool, posted) => {
  test('come to what their right order gives, and nothing is ended by an older end', async () => {
    const histories = fc.sample(history, HISTORIES)
    await atOnce(histories, async (received, n) => {
      const name = `h${n}`
      let active = false
      let fingerprint = ''
      for (const [index, sent] of received.entries()) {
        const before = received.slice(0, index)
        const now = received.slice(0, index + 1)
        const [result] = await receive(posted(name, sent))
        const fires = ['a', 'b'].some((alert) => firesAfter(now, alert))
        const place = `${tool} ${JSON.stringify(now)}`
        if (sent.status === 'firing') {
          const starts = before.every((one) => one.alert !== sent.alert || one.status === 'firing' || one.at < sent.at)
          expect(result?.outcome, place).toBe(starts ? (active ? 'attached' : 'started') : 'suppressed')
        } else {
          const late = before.some((one) => one.alert === sent.alert && one.status === 'firing' && one.at > sent.at)
          if (!active) expect(result?.outcome, place).toBe('unmatched')
          else if (late && firesAfter(before, sent.alert)) expect(result?.outcome, place).toBe('suppressed')
        }
        active = fires
        fingerprint = result?.fingerprint ?? ''
        // what the rule does once all of its alerts are resolved
        if (!fires)
          await database.db`
            update runs set status = 'failed', error = '{}', ended_at = now()
            where workspace_id = ${DEFAULT_WORKSPACE_ID} and fingerprint = ${fingerprint} and status = 'queued'`
      }
      const members = await database.db<{ member: string }[]>`
        select m.member from run_alert_members m join runs r on r.id = m.run_id
        where r.workspace_id = ${DEFAULT_WORKSPACE_ID} and r.fingerprint = ${fingerprint} and r.status = 'queued'
          and coalesce(m.fired_at > m.ended_at, m.fired_at is not null)`
      expect(members.map(({ member }) => member.slice(-1)).sort(), `${tool} ${JSON.stringify(received)}`).toEqual(
        ['a', 'b'].filter((alert) => firesAfter(received, alert)),
      )
    })
  }, 3_600_000)
})

async function atOnce<Item>(items: readonly Item[], work: (item: Item, n: number) => Promise<void>): Promise<void> {
  const queue = [...items.entries()]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next[1], next[0])
    }),
  )
}

test('an end that is known when its run starts ends it', async () => {
  const { ctx } = service
  const group = (status: 'firing' | 'resolved') => ({
    ...groupOf([]),
    alerts: [
      {
        status,
        labels: { alertname: 'Down', service: 'raced' },
        startsAt: '2026-01-01T14:00:00Z',
        endsAt: '2026-01-01T14:20:00Z',
        fingerprint: 'raced',
      },
    ],
  })
  // the end arrives after the firing was found to have none, and before its run is there
  let asked = 0
  const ended: typeof ctx.alertFold.ended = async (...given) => {
    asked += 1
    return await ctx.alertFold.ended(...given)
  }
  const admit: typeof ctx.runs.admit = async (drafts) => {
    await receive(group('resolved'))
    return await ctx.runs.admit(drafts)
  }
  const { results } = await receiveAlerts(
    { ...ctx, runs: { ...ctx.runs, admit }, alertFold: { ...ctx.alertFold, ended } },
    { body: group('firing') },
  )
  expect(results).toMatchObject([{ outcome: 'started' }])
  expect(asked).toBe(1)
  const rows = await database.db`
    select data from run_events where run_id = ${results[0]?.run_id ?? ''} and type = 'alert.resolved'`
  expect(rows.map((row) => row['data'])).toEqual([{ member: 'raced', remaining: 0 }])
})

test('a transition that is not known is on record and on the bus once for each tool and word', async () => {
  const group = (status: string) => ({
    version: '4',
    alerts: [{ status, labels: { alertname: 'Down', service: 'odd' } }],
  })
  for (const word of ['snoozed', 'snoozed', 'parked', 'snoozed'])
    expect(await receive(group(word))).toMatchObject([{ outcome: 'suppressed', detail: expect.stringContaining(word) }])
  const published =
    await database.db`select event #>> '{data,transition}' as word from bus_outbox where topic = 'alert.not_understood' order by id`
  expect(published.map((row) => row['word'])).toEqual(['snoozed', 'parked'])
  const records = await database.db`
    select draft #>> '{data,transition}' as word from audit_outbox where draft ->> 'action' = 'alert.not_understood' order by id`
  expect(records.map((row) => row['word'])).toEqual(['snoozed', 'parked'])
})

test('an incident that is renamed and moved does not lose its end', async () => {
  const sent = { alert: 'a', status: 'firing', began: 1, at: 1 } as const
  const [started] = await receive(POSTED['pagerduty']?.('moved', sent))
  const ended = POSTED['pagerduty']?.('moved', { ...sent, status: 'resolved', at: 9 }) as { event: { data: object } }
  const renamed = { ...ended.event.data, title: 'Called otherwise', service: { summary: 'elsewhere' } }
  expect(await receive({ event: { ...ended.event, data: renamed } })).toMatchObject([
    { outcome: 'resolved', run_id: started?.run_id },
  ])
})

test('runs of another workspace with the same id do not hide the run that it ends', async () => {
  const sent = { alert: 'a', status: 'firing', began: 1, at: 1 } as const
  const [started] = await receive(POSTED['pagerduty']?.('shared', sent))
  const posted = POSTED['pagerduty']?.('shared', { ...sent, status: 'resolved', at: 9 }) as { event: { data: object } }
  const neighbour = { ...service.ctx, workspace_id: NEIGHBOUR }
  await database.db`
    insert into workspaces (id, slug, name, default_environment) values (${NEIGHBOUR}, 'neighbour', 'Neighbour', 'development')`
  for (let n = 0; n < 25; n++) {
    const body = POSTED['pagerduty']?.(`theirs ${n}`, sent) as { event: { data: object } }
    const data = { ...body.event.data, id: 'shared-a' }
    await receiveAlerts(neighbour, { body: { event: { ...body.event, data } } })
  }
  const moved = { ...posted.event.data, service: { summary: 'moved on' } }
  expect(await receive({ event: { ...posted.event, data: moved } })).toMatchObject([
    { outcome: 'resolved', run_id: started?.run_id },
  ])
  const ended = await database.db`select r.workspace_id from run_events e join runs r on r.id = e.run_id
    where e.type = 'alert.resolved' and r.workspace_id = ${NEIGHBOUR}`
  expect(ended).toEqual([])
})

test('an incident that fires on under another name ends in both of its runs', async () => {
  const renamed = (sent: EpisodeEvent) => {
    const posted = POSTED['pagerduty']?.('twice', sent) as { event: { data: object } }
    return { event: { ...posted.event, data: { ...posted.event.data, service: { summary: 'twice, moved' } } } }
  }
  const sent = { alert: 'a', status: 'firing', began: 1, at: 1 } as const
  const [first] = await receive(POSTED['pagerduty']?.('twice', sent))
  const [second] = await receive(renamed({ ...sent, at: 5 }))
  expect([first?.outcome, second?.outcome]).toEqual(['started', 'started'])
  await receive(renamed({ ...sent, status: 'resolved', at: 9 }))
  const ended = await database.db`
    select run_id from run_events where type = 'alert.resolved' and run_id = any(${[first?.run_id ?? '', second?.run_id ?? '']}) order by run_id`
  expect(ended.map((row) => row['run_id'])).toEqual([first?.run_id, second?.run_id].sort())
})

describe('an end that was a mistake', () => {
  const firing = (service: string, status: 'firing' | 'resolved', endsAt = '2026-01-01T14:20:00Z') => ({
    ...groupOf([]),
    alerts: [
      {
        status,
        labels: { alertname: 'Down', service },
        startsAt: '2026-01-01T14:00:00Z',
        endsAt,
        fingerprint: service,
      },
    ],
  })
  const passed = (minutes: number) =>
    database.db`update alert_ends set received_at = received_at - ${minutes} * interval '1 minute'`

  test('keeps nothing back that fires on after a quarter of an hour, where the tool says when it began', async () => {
    await receive(firing('cut off', 'resolved'))
    expect(await receive(firing('cut off', 'firing'))).toMatchObject([{ outcome: 'suppressed' }])
    await passed(16)
    expect(await receive(firing('cut off', 'firing'))).toMatchObject([{ outcome: 'started' }])
  })

  test('counts for a week where the tool says when each event happened', async () => {
    const sent = { alert: 'a', status: 'resolved', began: 1, at: 9 } as const
    await receive(POSTED['pagerduty']?.('week', sent))
    await passed(60)
    expect(await receive(POSTED['pagerduty']?.('week', { ...sent, status: 'firing', at: 5 }))).toMatchObject([
      { outcome: 'suppressed' },
    ])
  })

  test('is no later than five minutes from now, no matter what it says', async () => {
    const ahead = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
    await receive(firing('ahead', 'resolved', ahead(600)))
    const next = firing('ahead', 'firing')
    const alerts = next.alerts.map((alert) => ({ ...alert, startsAt: ahead(10) }))
    expect(await receive({ ...next, alerts })).toMatchObject([{ outcome: 'started' }])
  })
})
