import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig } from '#platform/config.ts'
import { startPostgres } from '#platform/embedded/postgres.ts'
import { createDb } from '#store/db.ts'
import { migrate } from '#store/migrate.ts'
import { createBus } from '#workers/create-bus.ts'
import { type BusFaults, type Crash, findBusFaults, type Publication } from './bus-history.ts'
import { createPublishers, WORKSPACES } from './bus-publishers.ts'
import { createChildSubscriber, createSubscriber, type WatchedSubscriber } from './bus-subscribers.ts'
import { databaseAnswers, killBackend, terminateSessions } from './database-faults.ts'
import { createTestHome, testLog } from './embedded.ts'
import { seededRandom } from './seeded-random.ts'

const PUBLISHERS = 16
/** These go on until the held transaction has ended. */
const ENDURING = 2
const DRAIN_MS = 60_000

export interface BusLoadOptions {
  seed: number
  load_ms: number
  /** how long one transaction stays open after the kills */
  hold_ms: number
  /** of the database; a subscriber is killed in any case */
  kills: boolean
}

export interface BusLoadResult {
  seed: number
  faults: BusFaults
  /** in their order, with the longest time that followed in which nobody had a message */
  kills: { name: string; silent_ms: number }[]
  published: Record<Publication['outcome'], number>
  delivered: Record<string, { messages: number; again: number }>
  /** messages that were handled while the transaction was open, and from its commit to the first handler */
  held: { passed: number; to_handler_ms: number }
}

/** Publishers, subscribers and a database server of their own; what can die does, in an order that follows from the seed. */
export async function loadBus({ seed, load_ms, hold_ms, kills }: BusLoadOptions): Promise<BusLoadResult> {
  const stage = await setStage(seed)
  const { publishers, subscribers, buses, doomed } = stage
  const random = seededRandom(seed)
  const crashes: (Crash & { name: string })[] = []
  const killings: Record<string, () => Promise<void>> = {
    'subscriber killed': doomed.restart,
    ...(kills ? stage.killings : {}),
  }
  let holding = true
  try {
    await Promise.all(subscribers.map(({ ready }) => ready))
    const until = performance.now() + load_ms
    const load = Array.from({ length: PUBLISHERS }, (_, publisher) =>
      publishers.publish(
        publisher,
        buses[publisher % 4 === 1 ? 0 : 1],
        () => performance.now() < until || (publisher < ENDURING && holding),
      ),
    )
    // dies with the first kill of the database, and with it what it had said
    const hopeless = kills ? publishers.hold('hopeless', load_ms + hold_ms) : undefined
    const names = shuffled(Object.keys(killings), random)
    for (const name of names) {
      await sleep((load_ms / (names.length + 1)) * (0.5 + random() / 2))
      const from = performance.now()
      await killings[name]?.()
      crashes.push({ name, from, to: performance.now() })
      await stage.answers()
    }
    // what the kills ended is back before the transaction is held
    const killed = performance.now()
    await eventually(async () => subscribers.some(({ handled }) => handled.some(({ at }) => at > killed)))
    const held_from = performance.now()
    await publishers.hold('held', hold_ms)
    const held_to = performance.now()
    holding = false
    await Promise.all([...load, hopeless])

    const logged = await stage.drained()
    const faults = () =>
      findBusFaults({
        published: publishers.published,
        logged,
        subscribers,
        crashes: crashes.filter(({ name }) => name in stage.killings),
      })
    const skipped = () => Object.values(faults().subscribers).some((each) => each.skipped.length > 0)
    await eventually(async () => !skipped())
    return {
      seed,
      faults: faults(),
      kills: crashes.map(({ name, from }, index) => ({
        name,
        silent_ms: quietTime(subscribers, from, crashes[index + 1]?.from ?? held_from),
      })),
      published: outcomes(publishers.published),
      delivered: Object.fromEntries(subscribers.map((each) => [each.name, deliveries(each)])),
      held: {
        passed: subscribers.flatMap(({ handled }) => handled.filter(({ at }) => at > held_from && at < held_to)).length,
        to_handler_ms: Math.max(0, Math.round(firstOf(subscribers, 'held:0') - held_to)),
      },
    }
  } finally {
    await stage.close()
  }
}

async function setStage(seed: number) {
  const { home, remove } = await createTestHome()
  let server = await startPostgres({ home, log: testLog })
  const owner_url = server.url
  const { url } = await migrate(owner_url)
  const config = { ...loadConfig({ SVC_BUS: 'postgres' }), databaseUrl: url }
  const dbs = ['publishers', 'bus-one', 'bus-two'].map((name) => createDb(url, { max: PUBLISHERS + 2, name }))
  const [publishing, ...serving] = dbs
  if (publishing === undefined) throw new Error('there is no pool to publish with')
  const [one, two] = await Promise.all(serving.map((db) => createBus({ config, db, log: testLog })))
  if (one === undefined || two === undefined) throw new Error('there are no buses')

  const anything = () => true
  const doomed = createChildSubscriber(url, { name: 'doomed', pattern: 'load.>', wants: anything })
  const subscribers: WatchedSubscriber[] = [
    doomed,
    createSubscriber(one, {
      name: 'slow',
      pattern: 'load.*.x',
      workspace_id: '*',
      wants: ({ topic }) => /^load\.\w+\.x$/.test(topic),
      pause_ms: 1,
    }),
    createSubscriber(two, {
      name: 'own',
      pattern: 'load.#',
      workspace_id: WORKSPACES[1],
      wants: ({ workspace_id }) => workspace_id === WORKSPACES[1],
    }),
  ]
  return {
    publishers: createPublishers(publishing, seed),
    buses: [one, two] as const,
    subscribers,
    doomed,
    killings: {
      'sessions ended': () => terminateSessions(owner_url),
      'backend killed': () => killBackend(owner_url),
      'server restarted': async () => {
        const { port } = server
        await server.stop()
        server = await startPostgres({ home, log: testLog, port })
      },
    },
    answers: () => databaseAnswers(owner_url),
    /** The events of the log in their order, once all have their numbers. */
    async drained(): Promise<string[]> {
      await eventually(async () => (await publishing`select 1 from bus_outbox limit 1`).length === 0)
      const rows = await publishing<
        { event_id: string }[]
      >`select event ->> 'id' as event_id from bus_messages order by id`
      return rows.map(({ event_id }) => event_id)
    },
    async close() {
      await doomed.kill()
      for (const bus of [one, two]) await bus.close()
      for (const db of dbs) await db.end({ timeout: 1 })
      await server.stop()
      await remove()
    },
  }
}

/** Looks again and again until it is so, or it has taken too long: what is missing then is for the checks to say. */
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + DRAIN_MS
  while (performance.now() < until && !(await holds().catch(() => false))) await sleep(100)
}

function shuffled<Item>(items: Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}

function quietTime(subscribers: WatchedSubscriber[], from: number, to: number): number {
  const times = subscribers.flatMap(({ handled }) => handled.map(({ at }) => at)).filter((at) => at > from && at < to)
  const marks = [from, ...times.sort((a, b) => a - b), to]
  return Math.round(Math.max(...marks.slice(1).map((at, index) => at - (marks[index] ?? at))))
}

function firstOf(subscribers: WatchedSubscriber[], event_id: string): number {
  const times = subscribers.flatMap(({ handled }) => handled.find((each) => each.event_id === event_id)?.at ?? [])
  return Math.min(...times)
}

function outcomes(published: Publication[]): Record<Publication['outcome'], number> {
  const counts = { acknowledged: 0, unknown: 0, undone: 0 }
  for (const { outcome } of published) counts[outcome] += 1
  return counts
}

function deliveries({ handled }: WatchedSubscriber): { messages: number; again: number } {
  const messages = new Set(handled.map(({ event_id }) => event_id)).size
  return { messages, again: handled.length - messages }
}
