import { fork } from 'node:child_process'
import { afterAll, describe, expect, test } from 'vitest'
import { cloudEvent } from '#core/bus/cloud-event.ts'
import { loadConfig } from '#platform/config.ts'
import { createIds } from '#platform/ids.ts'
import { programArgs } from '#platform/program/program-args.ts'
import type { Bus, BusMessage } from '#services/bus/bus.ts'
import { createBusPosition } from '#services/bus/bus-position.ts'
import { startDurableSubscription } from '#services/bus/durable-subscription.ts'
import { redriveLetters } from '#services/bus/redrive-letters.ts'
import { busHealth } from '#store/bus/bus-health.ts'
import { createBusLog } from '#store/bus/bus-log.ts'
import { createBusReads } from '#store/bus/bus-reads.ts'
import { createDeadLetters } from '#store/bus/dead-letters.ts'
import { createDb, type Db } from '#store/db.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { createBus } from '#workers/create-bus.ts'
import { exitSignal, killHard } from '../../support/crash-service.ts'
import { testLog } from '../../support/embedded.ts'

const A = 'ws_0000000000000000000000000a'
const B = 'ws_0000000000000000000000000b'
let opened: { bus: Bus; db: Db }[] = []

const database = testDatabase()
afterAll(() => Promise.all(opened.map(close)))

async function openBus(backoff_ms?: number) {
  const db = createDb(database.url, { max: 3, name: 'test-bus' })
  const config = { ...loadConfig({ SVC_BUS: 'postgres' }), databaseUrl: database.url }
  const each = { db, bus: await createBus({ config, db, log: testLog, ...(backoff_ms && { backoff_ms }) }) }
  opened.push(each)
  return each
}

async function close(each: { bus: Bus; db: Db }) {
  opened = opened.filter((other) => other !== each)
  await each.bus.close()
  await each.db.end({ timeout: 1 })
}

const event = (topic: string, id: string, workspace_id = A) =>
  cloudEvent({ id, source: 'test', type: topic, time: '2026-01-01T00:00:00.000Z', workspace_id, data: {} })

interface Handled {
  id: number
  topic: string
  event_id: string
  redelivered: boolean
}

function collect() {
  const handled: Handled[] = []
  const handler = async ({ id, topic, event, redelivered }: BusMessage) => {
    handled.push({ id: Number(id), topic, event_id: event.id, redelivered })
  }
  return { handled, handler }
}

const names = (handled: Handled[]) => handled.map(({ event_id }) => event_id)

/** What a subscriber may never see: a step back in the log, or in what one publisher said on one topic. */
function reordered(handled: Handled[]): Handled[] {
  const last = new Map<string, number>()
  let place = 0
  return handled.filter(({ id, topic, event_id }) => {
    const [publisher = '', n] = event_id.split(':')
    const key = `${publisher} ${topic}`
    const back = id <= place || Number(n) <= (last.get(key) ?? -1)
    place = Math.max(place, id)
    last.set(key, Number(n))
    return back
  })
}

describe('a subscriber', () => {
  test('goes on where it stood, and misses nothing that was published while it was away', async () => {
    const one = await openBus()
    const [first, second, late] = [collect(), collect(), collect()]
    const options = { name: 'returning', patterns: ['away.*'], workspace_id: A, from: 'now' as const }
    await one.bus.publish([event('away.before', 'before')])
    await expect.poll(() => waiting()).toBe(0)
    const subscription = one.bus.subscribe({ ...options, handler: first.handler })
    await subscription.ready
    await one.bus.publish([event('away.a', '1'), event('elsewhere.a', 'x'), event('away.a', 'x', B)])
    await expect.poll(() => names(first.handled)).toEqual(['1'])
    await subscription.close()
    await one.bus.publish([event('away.a', '2'), event('away.new', '3')])
    one.bus.subscribe({ ...options, handler: second.handler })
    await expect.poll(() => names(second.handled)).toEqual(['2', '3'])
    one.bus.subscribe({ ...options, name: 'newcomer', from: 'beginning', handler: late.handler })
    await expect.poll(() => names(late.handled)).toEqual(['before', '1', '2', '3'])
    await close(one)
  })

  test('reads in one process at a time; another takes over when that one goes', async () => {
    const [one, two] = [await openBus(), await openBus()]
    const [first, second] = [collect(), collect()]
    const options = { name: 'single', patterns: ['single.>'], workspace_id: '*', from: 'now' as const }
    const a = one.bus.subscribe({ ...options, handler: first.handler })
    await a.ready
    await one.bus.publish([event('single.a', '1')])
    await expect.poll(() => names(first.handled)).toEqual(['1'])
    await two.bus.subscribe({ ...options, handler: second.handler }).ready
    await two.bus.publish([event('single.a', '2')])
    await expect.poll(() => names(first.handled)).toEqual(['1', '2'])
    await close(one)
    await two.bus.publish([event('single.a', '3')])
    await expect.poll(() => names(second.handled), PATIENCE).toEqual(['3'])
    await close(two)
  })

  test('puts a message aside that it cannot handle, after as many attempts as agreed, and goes on', async () => {
    const one = await openBus()
    const attempts: number[] = []
    const good = collect()
    const subscription = one.bus.subscribe({
      name: 'fragile',
      patterns: ['fragile.*'],
      workspace_id: '*',
      from: 'now',
      handler: async (message) => {
        if (message.event.id !== 'poison') return await good.handler(message)
        attempts.push(message.attempt)
        throw new Error('cannot digest this')
      },
    })
    await subscription.ready
    await one.bus.publish([event('fragile.a', '1'), event('fragile.a', 'poison'), event('fragile.a', '2')])
    await expect.poll(() => names(good.handled), PATIENCE).toEqual(['1', '2'])
    expect(attempts).toEqual([1, 2, 3, 4, 5])
    expect(await database.db`select subscriber, event ->> 'id' as id, attempts, error from bus_dead_letters`).toEqual([
      { subscriber: 'fragile', id: 'poison', attempts: 5, error: 'Error: cannot digest this' },
    ])
    await close(one)
  })

  test('has what it could not handle once more when an operator says so, and keeps what it still cannot', async () => {
    const one = await openBus(5)
    let broken = true
    const { handled, handler } = collect()
    await one.bus.subscribe({
      name: 'mending',
      patterns: ['mend.*'],
      workspace_id: '*',
      from: 'now',
      handler: async (message) => {
        if (broken || message.event.id === 'hopeless') throw new Error('cannot digest this')
        await handler(message)
      },
    }).ready
    const letters = createDeadLetters(database.db)
    const aside = async () => (await letters.list({ subscriber: 'mending', limit: 10 })).toReversed()
    await one.bus.publish([event('mend.a', 'curable'), event('mend.a', 'hopeless')])
    await expect.poll(() => aside(), PATIENCE).toHaveLength(2)
    broken = false
    await one.bus.publish([event('mend.a', 'later')])
    await expect.poll(() => names(handled)).toEqual(['later'])
    expect(await busHealth(database.db, '*')).toMatchObject({
      subscribers: expect.arrayContaining([{ subscriber: 'mending', behind: expect.any(Number), dead_letters: 2 }]),
    })

    const redrive = (messages: number[] | 'all') =>
      redriveLetters({ letters, ids: createIds(), clock: Date.now }, 'mending', messages)
    expect(await redrive([1_000_000])).toBe(0)
    expect(await redrive('all')).toBe(2)
    await expect.poll(() => names(handled)).toEqual(['later', 'curable'])
    expect(handled[1]?.redelivered).toBe(true)
    await expect.poll(() => aside(), PATIENCE).toMatchObject([{ attempts: 10, redrive_at: null }])
    await close(one)
  })

  test('puts a message aside that has ended two processes, and goes on behind it; a redriven one is tried once', async () => {
    const one = await openBus()
    const reads = createBusReads(database.db)
    const letters = createDeadLetters(database.db)
    await reads.open({ subscriber: 'deadly', workspace_id: '*' }, 'now')
    await one.bus.publish(['1', '2', 'poison', '3', '4'].map((id) => event('deadly.a', id)))
    await expect.poll(() => waiting()).toBe(0)
    const handled: string[] = []
    const live = () => {
      const [script = '', ...args] = programArgs('test/support/bus-subscriber.ts')
      const child = fork(script, [...args, database.url, 'deadly', 'deadly.a', 'poison'])
      child.on('message', (message) => {
        if (message !== 'ready') handled.push((message as { event_id: string }).event_id)
      })
      return child
    }
    for (let n = 0; n < 2; n += 1) expect(await exitSignal(live())).toBe('SIGKILL')
    const third = live()
    await expect.poll(() => handled.slice(-2), PATIENCE).toEqual(['3', '4'])
    const aside = () => letters.list({ subscriber: 'deadly', limit: 9 })
    expect(await aside()).toMatchObject([{ attempts: 2, error: expect.stringMatching(/^process_ended: 2 processes/) }])

    await redriveLetters({ letters, ids: createIds(), clock: Date.now }, 'deadly', 'all')
    expect(await exitSignal(third)).toBe('SIGKILL')
    expect(await aside()).toMatchObject([{ redrive_at: null }])
    const fourth = live()
    await one.bus.publish([event('deadly.a', '5')])
    await expect.poll(() => handled.at(-1), PATIENCE).toBe('5')
    await killHard(fourth)
    await close(one)
  })

  test('says nothing more about its place once another process has taken it', async () => {
    const reads = createBusReads(database.db)
    const cursor = { subscriber: 'contested', workspace_id: '*' }
    await reads.open(cursor, 'beginning')
    const first = { ...(await reads.take(cursor, 0)), cleared: true }
    expect(await reads.mark(cursor, { ...first, last_id: 5, reading_to: 9, at_rest: false })).toBe(true)
    const second = { ...(await reads.take(cursor, 0)), cleared: true }
    expect(second).toMatchObject({ last_id: 5, reading_to: 9 })
    expect(await reads.mark(cursor, { ...first, last_id: 7, reading_to: 7, at_rest: true })).toBe(false)
    expect(await reads.mark(cursor, { ...second, last_id: 6, reading_to: 8, at_rest: false })).toBe(true)
    expect(await reads.take(cursor, 0)).toMatchObject({ last_id: 6, reading_to: 9 })
  })

  test('counts no process that lives, also when it lost its lock and another has the place', async () => {
    const one = await openBus()
    const { db } = one
    const cursor = { subscriber: 'cut-off', workspace_id: '*' }
    const reads = createBusReads(db)
    let held = true
    const lock = { held: () => held, release: async () => undefined }
    const subscription = startDurableSubscription(
      {
        reads,
        letters: createDeadLetters(db),
        locks: { take: async () => (held ? lock : undefined), close: async () => undefined },
        position: createBusPosition(reads),
        log: testLog,
        attempts: 1,
        backoff_ms: 1,
        retry_ms: 1,
      },
      {
        name: cursor.subscriber,
        patterns: ['cut.off'],
        workspace_id: '*',
        from: 'now',
        handler: async () => undefined,
      },
    )
    const counted = async () => {
      const [row] = await db<{ claims: number }[]>`select claims from bus_cursors where subscriber = 'cut-off'`
      return row?.claims
    }
    await expect.poll(counted, PATIENCE).toBe(1)
    held = false
    const other = await reads.take(cursor, 0)
    expect(other.processes_ended).toBe(1)
    subscription.wake()
    await expect.poll(counted, PATIENCE).toBe(1)
    // once, however often it asks for the lock
    expect(await reads.take(cursor, 0)).toMatchObject({ processes_ended: 1 })
    held = true
    await expect.poll(counted, PATIENCE).toBe(3)
    await subscription.close()
    expect(await counted()).toBe(2)
    // a claim that has been passed is not taken off again
    await reads.mark(cursor, { ...(await reads.take(cursor, 0)), at_rest: true, cleared: true })
    await reads.letGo(cursor, other.holder)
    expect(await counted()).toBe(1)
    await close(one)
  })

  test('is stopped in the middle of what a crash left in doubt, and the rest of it stays in doubt', async () => {
    const one = await openBus()
    const cursor = { subscriber: 'doubting', workspace_id: '*' }
    const reads = createBusReads(database.db)
    const options = { name: cursor.subscriber, patterns: ['doubt.a'], workspace_id: '*', from: 'now' as const }
    await reads.open(cursor, 'now')
    await one.bus.publish([event('doubt.a', '1'), event('doubt.a', '2')])
    await expect.poll(() => waiting()).toBe(0)
    const crashed = { ...(await reads.take(cursor, 0)), cleared: true }
    const [head] = await database.db<{ last_id: number }[]>`select last_id from bus_head`
    const reading_to = head?.last_id ?? 0
    await reads.mark(cursor, { ...crashed, reading_to, at_rest: false })
    const [first, second] = [collect(), collect()]
    await new Promise<void>((stopped) => {
      const subscription = one.bus.subscribe({
        ...options,
        handler: async (message) => {
          await first.handler(message)
          void subscription.close().then(stopped)
        },
      })
    })
    one.bus.subscribe({ ...options, handler: second.handler })
    await expect.poll(() => names(second.handled)).toEqual(['2'])
    expect([...first.handled, ...second.handled]).toMatchObject([{ redelivered: true }, { redelivered: true }])
    await close(one)
  })

  test('is refused with a pattern that is none', async () => {
    const one = await openBus()
    const options = { name: 'wrong', workspace_id: '*', from: 'now' as const, handler: async () => undefined }
    expect(() => one.bus.subscribe({ ...options, patterns: ['run.>.x'] })).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    )
    await close(one)
  })
})

describe('publishing', () => {
  test('commits or vanishes with the change it belongs to, and waits for nobody', async () => {
    const one = await openBus()
    const { handled, handler } = collect()
    await one.bus.subscribe({ name: 'tx', patterns: ['tx.*'], workspace_id: '*', from: 'now', handler }).ready
    const bus_log = createBusLog(database.db)
    await database.db
      .begin(async (tx) => {
        await bus_log.publish([event('tx.a', 'gone')], tx)
        throw new Error('no')
      })
      .catch(() => undefined)
    await database.db.begin(async (tx) => await bus_log.publish([event('tx.a', 'kept')], tx))
    await expect.poll(() => names(handled)).toEqual(['kept'])
    await close(one)
  })
})

describe('publishing in one process', () => {
  test("joins what comes together, keeps its order, and lets one refused event spoil nobody else's", async () => {
    const bus_log = createBusLog(database.db)
    await database.db`delete from bus_outbox`
    const unstorable = { ...event('join.a', 'bad'), data: 'a\u0000b' }
    const many = Array.from({ length: 40 }, (_, n) => bus_log.publish([event('join.a', `${n}`)]))
    const refused = bus_log.publish([unstorable])
    const after = bus_log.publish([event('join.a', 'after')])
    await expect(refused).rejects.toThrow(/unicode/i)
    await Promise.all([...many, after])
    const rows = await database.db<{ id: string }[]>`
      select event ->> 'id' as id from bus_outbox where topic = 'join.a' order by bus_outbox.id`
    expect(rows.map(({ id }) => id)).toEqual([...Array.from({ length: 40 }, (_, n) => `${n}`), 'after'])
    await database.db`delete from bus_outbox`
  })
})

describe('two numberers at once', () => {
  test('take turns: every message gets one number, without gaps, and each publisher keeps its order', async () => {
    const bus_log = createBusLog(database.db)
    const [head] = await database.db<{ last_id: number }[]>`select last_id from bus_head`
    const started = head?.last_id ?? 0
    let publishing = true
    const number = async () => {
      while (publishing || (await waiting()) > 0) await bus_log.number(7)
    }
    const publish = async (publisher: number) => {
      for (let n = 0; n < 100; n += 1) await bus_log.publish([event('turns.a', `${publisher}:${n}`)])
    }
    const numbering = Promise.all([number(), number()])
    await Promise.all([0, 1, 2, 3].map(publish))
    publishing = false
    await numbering
    const rows = await database.db<{ id: number; topic: string; event_id: string }[]>`
      select id, topic, event ->> 'id' as event_id from bus_messages where id > ${started} order by id`
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 400 }, (_, index) => started + 1 + index))
    expect(reordered(rows.map((row) => ({ ...row, redelivered: false })))).toEqual([])
  })
})

describe('the sweep', () => {
  test('forgets what is old and read, keeps what a subscriber lacks, and forgets even that at twice the age', async () => {
    const { db } = database
    await db`delete from bus_outbox`
    await db`delete from bus_messages`
    await db`update bus_cursors set last_id = 20`
    const day = 86_400_000
    const [ages, left] = [
      [15, 9, 9, 9, 3],
      async () => (await db`select id from bus_messages order by id`).map((row) => Number(row['id'])),
    ]
    for (const [index, age] of ages.entries())
      await db`
        insert into bus_messages (id, workspace_id, topic, event, published_at)
        values (${18 + index}, ${A}, 'old.one', '{}', now() - make_interval(days => ${age}))`
    await db`update bus_cursors set last_id = 19 where subscriber = 'fragile'`
    expect(await createBusLog(db).sweep(7 * day)).toBe(2)
    expect(await left()).toEqual([20, 21, 22])
    expect(await createBusLog(db).sweep(4 * day)).toBe(2)
    expect(await left()).toEqual([22])
  })
})

async function waiting(): Promise<number> {
  const [row] = await database.db<{ count: number }[]>`select count(*)::integer as count from bus_outbox`
  return row?.count ?? 0
}

test('messages are dated in their order, also after the clock was set back', async () => {
  const { db } = await openBus()
  const publish = (id: string) => db`select publish_events(${db.json([{ ...event('clock.set', id) }] as never)})`
  const dated = async (id: string) => {
    const read = () => db<{ id: number; at_ms: number }[]>`
      select id::int, ms_of(published_at)::float8 as at_ms from bus_messages where event ->> 'id' = ${id}`
    await expect.poll(async () => (await read()).length, PATIENCE).toBe(1)
    return (await read())[0]
  }
  await publish('clock-1')
  const first = await dated('clock-1')
  // as if it had been numbered before the clock was set back by an hour
  await db`update bus_messages set published_at = published_at + interval '1 hour' where id = ${first?.id ?? 0}`
  await publish('clock-2')
  const second = await dated('clock-2')
  const looked_from = (first?.at_ms ?? 0) + 1_800_000
  expect(second?.at_ms).toBeGreaterThan(looked_from)
  // anyone who looks back for less than the hour finds both
  expect(await createBusReads(db).lastBefore(looked_from)).toBeLessThan(first?.id ?? 0)
})
