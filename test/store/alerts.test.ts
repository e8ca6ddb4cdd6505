import { EventEmitter, once } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import { type AlertResult, receiveAlerts } from '#services/alerts/receive-alerts.ts'
import type { IntakeContext } from '#services/service-deps.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createAlertService, groupOf } from './alerts-service.ts'

let service: ReturnType<typeof createAlertService>

const database = testDatabase()
beforeEach(() => {
  service = createAlertService(database.db)
})

const receive = async (body: unknown, ctx: IntakeContext = service.ctx) => (await receiveAlerts(ctx, { body })).results
const outcomes = (results: AlertResult[]) => results.map((each) => each.outcome)
const count = (results: AlertResult[], outcome: string) => results.filter((each) => each.outcome === outcome).length

async function runsLike(prefix: string) {
  return database.db<
    {
      id: string
      status: string
      fingerprint: string
      attached_count: number
      members: number
      last_seq: number
      events: number
    }[]
  >`
    select id, status, fingerprint, attached_count, last_seq,
      (select count(*) from run_alerts where run_id = runs.id and status = 'firing') as members,
      (select count(*) from run_events where run_id = runs.id) as events
    from runs where fingerprint like ${`alertmanager|${prefix}%`}`
}

/** Sends 2,000 alerts about 20 services, in requests of one to five, from 32 callers at once. */
async function storm(
  prefix: string,
  services: ReturnType<typeof createAlertService>[],
  between?: (n: number) => Promise<unknown>,
) {
  const names = Array.from({ length: 2_000 }, (_, n) => `${prefix}-${(n * 7) % 20}`)
  const requests: string[][] = []
  for (let at = 0, n = 0; at < names.length; at += (n % 5) + 1, n++) requests.push(names.slice(at, at + (n % 5) + 1))
  const results: AlertResult[] = []
  let next = 0
  const caller = async (index: number) => {
    const sender = services[index % services.length] ?? service
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      results.push(...(await receive(groupOf(request.map((name) => ({ service: name }))), sender.ctx)))
      await between?.(next)
    }
  }
  await Promise.all(Array.from({ length: 32 }, (_, index) => caller(index)))
  return results
}

describe('a storm', () => {
  test('starts one run per fingerprint and counts every other alert exactly once', async () => {
    const results = await storm('storm', [service])
    const runs = await runsLike('storm')
    expect(runs).toHaveLength(20)
    expect(runs.reduce((sum, run) => sum + run.attached_count, 0)).toBe(1_980)
    expect([count(results, 'started'), count(results, 'attached')]).toEqual([20, 1_980])
    // the flood comes first, the engine is told right after
    await expect
      .poll(() => service.starts.map((start) => start.run_id).sort())
      .toEqual(runs.map((run) => run.id).sort())
    for (const run of runs) {
      const counts = results.filter((each) => each.run_id === run.id).map((each) => each.attached_count ?? -1)
      expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: run.attached_count + 1 }, (_, n) => n))
      expect(run.members).toBe(run.attached_count + 1)
      expect(run.last_seq).toBe(run.events)
    }
  })

  test('loses and doubles nothing while its runs end in the middle, no matter what process takes the alert', async () => {
    const services = [service, createAlertService(database.db)]
    const end = async (n: number) =>
      n % 10 === 0 &&
      database.db`
        update runs set status = 'failed', error = '{}', ended_at = now()
        where ended_at is null and fingerprint = ${`alertmanager|race-${(n / 10) % 20}|down`}`
    const results = await storm('race', services, end)
    const runs = await runsLike('race')
    expect(count(results, 'started')).toBeGreaterThan(20)
    expect(count(results, 'started') + count(results, 'attached')).toBe(2_000)
    expect(runs).toHaveLength(count(results, 'started'))
    expect(runs.reduce((sum, run) => sum + run.attached_count, 0)).toBe(count(results, 'attached'))
    await expect.poll(() => services.flatMap(({ starts }) => starts)).toHaveLength(runs.length)
    const active = runs.filter((run) => run.status === 'queued').map((run) => run.fingerprint)
    expect(new Set(active).size).toBe(active.length)
    for (const run of runs) {
      const counts = results.filter((each) => each.run_id === run.id).map((each) => each.attached_count ?? -1)
      expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: run.attached_count + 1 }, (_, n) => n))
    }
  })

  test('of one request folds into one run, in the order of its alerts', async () => {
    const results = await receive(groupOf(Array.from({ length: 1_000 }, () => ({ service: 'large' }))))
    expect(results.map((each) => each.attached_count)).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
    expect(outcomes(results).slice(0, 2)).toEqual(['started', 'attached'])
    expect((await receive(groupOf([{ service: 'large' }])))[0]).toMatchObject({
      outcome: 'attached',
      attached_count: 1_000,
    })
  })

  test('with more fingerprints than one batch takes is answered completely', async () => {
    const results = await receive(groupOf(Array.from({ length: 700 }, (_, n) => ({ service: `wide-${n}` }))))
    expect(count(results, 'started')).toBe(700)
    expect(results.map((each) => each.fingerprint)).toEqual(
      Array.from({ length: 700 }, (_, n) => `alertmanager|wide-${n}|down`),
    )
  })
})

/** A service whose first batch waits for `release`, and fails when that is told why. `batches` counts the drafts of each. */
function holdFirstBatch() {
  const wire = new EventEmitter()
  const sent = once(wire, 'sent')
  const released = once(wire, 'released')
  const batches: number[] = []
  const { runs } = service.ctx
  const admit: typeof runs.admit = async (drafts) => {
    if (batches.push(drafts.length) > 1) return runs.admit(drafts)
    wire.emit('sent')
    const [failure]: (Error | undefined)[] = await released
    if (failure !== undefined) throw failure
    return runs.admit(drafts)
  }
  const ctx: IntakeContext = { ...service.ctx, runs: { ...runs, admit } }
  return { ctx, sent, batches, release: (failure?: Error) => wire.emit('released', failure) }
}

describe('an alert', () => {
  test('starts a realtime run that says where it comes from', async () => {
    const { results, truncated } = await receiveAlerts(service.ctx, {
      body: { ...groupOf([{ service: 'origin', id: 'am-1' }]), truncatedAlerts: 3 },
    })
    expect(truncated).toBe(3)
    expect(results).toEqual([
      {
        fingerprint: 'alertmanager|origin|down',
        outcome: 'started',
        run_id: expect.any(String),
        attached_count: 0,
        rule: 'down',
      },
    ])
    const [run] = await database.db`
      select lane, reason, provenance -> 'trigger' as trigger, (select member from run_alerts where run_id = runs.id) as member
      from runs where id = ${results[0]?.run_id ?? ''}`
    expect(run).toEqual({
      lane: 'realtime',
      reason: 'origin is down',
      member: 'am-1',
      trigger: {
        type: 'alert',
        delivery_id: expect.stringMatching(/^dlv_/),
        source: 'alertmanager',
        rule: 'down',
        fingerprint_digest: `sha256:${service.ctx.sha256('alertmanager|origin|down')}`,
        truncated: 3,
        received_at: expect.any(String),
      },
    })
  })

  test('without a rule, template or inputs starts nothing, and the others of its request do', async () => {
    const results = await receive(
      groupOf([
        { service: 'mixed', alertname: 'Unheard' },
        { service: 'mixed', alertname: 'WithUrl' },
        { service: 'mixed', alertname: 'WithUrl', url: '' },
        { service: 'mixed', alertname: 'Gone' },
        { service: 'mixed', alertname: 'Denied' },
        { service: 'mixed', alertname: 'Denied' },
        { service: 'mixed' },
      ]),
    )
    expect(outcomes(results)).toEqual([
      'unmatched',
      'unmatched',
      'unmatched',
      'unmatched',
      'denied',
      'denied',
      'started',
    ])
    expect(results[0]).toMatchObject({ fingerprint: 'alertmanager|mixed|unheard', outcome: 'unmatched' })
    expect(results[1]?.detail).toMatch(/^rule with-url: /)
    expect(results[2]).toMatchObject({ rule: 'with-url', detail: 'the inputs do not fit the template' })
    expect(results[3]).toMatchObject({ rule: 'gone', detail: 'there is no template test/gone' })
    expect(results[4]).toMatchObject({ rule: 'denied', detail: 'never: not here' })
    expect(await runsLike('mixed')).toHaveLength(1)
  })

  test('whose inputs are refused does not take its duplicates with it', async () => {
    const urls = ['', 'http://a.example.test', '', 'http://b.example.test']
    const results = await receive(groupOf(urls.map((url) => ({ service: 'partly', alertname: 'WithUrl', url }))))
    expect(outcomes(results)).toEqual(['unmatched', 'started', 'unmatched', 'attached'])
    expect(results.map((each) => each.attached_count)).toEqual([undefined, 0, undefined, 1])
  })

  test('that comes while a batch is on its way goes with all others that do, in the next one', async () => {
    const held = holdFirstBatch()
    const first = receive(groupOf([{ service: 'held' }]), held.ctx)
    await held.sent
    const others = Array.from({ length: 20 }, (_, n) =>
      receive(groupOf([{ service: `held-${n % 3}` }, { service: 'held' }]), held.ctx),
    )
    held.release()
    const results = (await Promise.all([first, ...others])).flat()
    // the one whose fingerprint already has a run attaches without a draft
    expect(held.batches).toEqual([1, 3])
    expect([count(results, 'started'), count(results, 'attached')]).toEqual([4, 37])
  })

  test('is refused with its own batch when the database fails, and the next one is taken', async () => {
    const held = holdFirstBatch()
    const lost = receive(groupOf([{ service: 'shaky' }, { service: 'shaky' }]), held.ctx)
    await held.sent
    const taken = receive(groupOf([{ service: 'shaky' }, { service: 'shaky' }]), held.ctx)
    held.release(new Error('connection lost'))
    await expect(lost).rejects.toThrow('connection lost')
    expect(outcomes(await taken)).toEqual(['started', 'attached'])
  })

  test('starts in the name of the one who sent it, also when two senders share a batch', async () => {
    const sender = (id: string): IntakeContext => ({ ...service.ctx, actor: { ...service.ctx.actor, id } })
    await Promise.all([
      receive(groupOf([{ service: 'sent-a' }]), sender('usr_a')),
      receive(groupOf([{ service: 'sent-b' }]), sender('usr_b')),
    ])
    const rows = await database.db<{ by: string }[]>`
      select provenance #>> '{actor,id}' as by from runs where fingerprint like 'alertmanager|sent-%' order by fingerprint`
    expect(rows.map((row) => row.by)).toEqual(['usr_a', 'usr_b'])
  })
})
