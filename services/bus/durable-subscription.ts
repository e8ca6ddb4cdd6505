import { matchTopics } from '#core/bus/topic.ts'
import type { BusReads, BusRow } from '#store/bus-reads.ts'
import type { SessionLock, SessionLocks } from '#store/session-locks.ts'
import type { SubscribeOptions, Subscription } from './bus.ts'
import type { BusBatch, BusPosition } from './bus-position.ts'

const PAGE = 500
/** A cursor that only passed foreign messages is written this often: the sweep waits for it. */
const IDLE_MARK_MS = 5_000
/** So far behind its place a cursor may be in the middle of a page. */
const MARK_MS = 200

export interface DurableSubscriptionDeps {
  reads: BusReads
  locks: SessionLocks
  position: BusPosition
  log: { warn(fields: object, message: string): void }
  /** how often a handler is tried, and how long after the first failure; each rest is twice the one before */
  attempts: number
  backoff_ms: number
  /** rest after a failure of the database, and between attempts to get the subscriber's place */
  retry_ms: number
}

export interface DurableSubscription extends Subscription {
  /** looks for messages; with the batch that was numbered, only when it may concern this subscriber */
  wake(batch?: BusBatch): void
}

/** Reads the log from the subscriber's cursor on: one message at a time, in order, at least once. */
export function startDurableSubscription(
  deps: DurableSubscriptionDeps,
  options: SubscribeOptions,
): DurableSubscription {
  const { reads, locks, position, log } = deps
  const { name: subscriber, workspace_id, handler, from } = options
  const cursor = { subscriber, workspace_id }
  const matches = matchTopics(options.patterns)
  let lock: SessionLock | undefined
  let place = 0
  let doubtful_to = 0
  let marked = { last_id: 0, at: 0 }
  let made = false
  let reading = false
  let idling = false
  /** since the last mark, so that the next one is due soon */
  let handled = false
  let rung = false
  let closed = false
  let interrupt: () => void = () => undefined
  let opened: () => void = () => undefined
  const ready = new Promise<void>((resolve) => {
    opened = resolve
  })

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        if (lock?.held() !== true && !(await takePlace())) await pause(deps.retry_ms)
        else if (place < position.head()) await read()
        else await idle()
      } catch (error) {
        log.warn({ subscriber, error: String(error) }, 'a subscriber cannot read the bus; it tries again')
        await pause(deps.retry_ms)
      }
    }
  }

  async function takePlace(): Promise<boolean> {
    // made before the lock: from here on nothing is missed, whoever reads
    if (!made) await reads.open(cursor, from)
    made = true
    opened()
    lock = await locks.take(`bus:${subscriber}:${workspace_id}`)
    if (lock === undefined) return false
    const { last_id, reading_to } = await reads.open(cursor, from)
    place = last_id
    doubtful_to = reading_to
    marked = { last_id, at: performance.now() }
    return true
  }

  async function idle(): Promise<void> {
    const rest = handled ? MARK_MS : IDLE_MARK_MS
    if (place > marked.last_id && performance.now() - marked.at > rest) {
      await mark(place)
      handled = false
    }
    idling = true
    if (!rung) await pause(rest)
    idling = false
    rung = false
  }

  async function read(): Promise<void> {
    rung = false
    const to = position.head()
    const topics = [...position.topics()].filter(matches)
    const all = topics.length === position.topics().size
    reading = true
    try {
      const page = await reads.page({ after: place, to, topics: all ? 'all' : topics, workspace_id, limit: PAGE })
      const last = page.at(-1)
      if (last !== undefined) await mark(last.id)
      for (const row of page) {
        if (closed || lock?.held() !== true) return
        if (!(await deliver(row))) return
        place = row.id
        handled = true
        if (performance.now() - marked.at > MARK_MS) await mark(last?.id ?? place)
      }
      if (page.length < PAGE) place = Math.max(place, to)
    } finally {
      reading = false
    }
  }

  async function mark(reading_to: number): Promise<void> {
    await reads.mark(cursor, { last_id: place, reading_to })
    marked = { last_id: place, at: performance.now() }
  }

  /** False when it was closed before the message was dealt with. */
  async function deliver(row: BusRow): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await handler({ ...row, id: String(row.id), attempt, redelivered: row.id <= doubtful_to })
        return true
      } catch (error) {
        const about = { subscriber, message_id: row.id, topic: row.topic, attempt, error: String(error) }
        if (attempt >= deps.attempts) {
          await reads.bury(subscriber, row, attempt, String(error))
          log.warn(about, 'a subscriber cannot handle a message; it was put aside')
          return true
        }
        log.warn(about, 'a subscriber failed to handle a message; it tries again')
        await pause(deps.backoff_ms * 2 ** (attempt - 1))
        if (closed) return false
      }
    }
  }

  const running = run()
  return {
    ready,
    wake(batch) {
      if (batch !== undefined && !reading && place === batch.from - 1 && batch.topics?.some(matches) === false) {
        if (lock?.held() === true) place = batch.to
        return
      }
      rung = true
      if (idling) interrupt()
    },
    async close() {
      closed = true
      interrupt()
      opened()
      await running
      if (lock?.held() === true && place > marked.last_id) await mark(place).catch(() => undefined)
      await lock?.release()
    },
  }
}
