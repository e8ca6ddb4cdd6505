import { matchTopics } from '#core/bus/topic.ts'
import type { BusReads } from '#store/bus-reads.ts'
import type { DeadLetters } from '#store/dead-letters.ts'
import type { SessionLock, SessionLocks } from '#store/session-locks.ts'
import type { SubscribeOptions, Subscription } from './bus.ts'
import type { BusBatch, BusPosition } from './bus-position.ts'
import { createDelivery } from './deliver.ts'
import { createLogReader, type LogPage } from './log-reader.ts'

/** A cursor that only passed foreign messages is written this often: the sweep waits for it. */
const IDLE_MARK_MS = 5_000
/** So far behind its place a cursor may be in the middle of a page. */
const MARK_MS = 200
/** Dead letters are redriven this many at a time. */
const REDRIVE = 50

export interface DurableSubscriptionDeps {
  reads: BusReads
  letters: DeadLetters
  locks: SessionLocks
  position: BusPosition
  log: { warn(fields: object, message: string): void }
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
  const { reads, letters, locks, position, log } = deps
  const { name: subscriber, workspace_id, handler, from } = options
  const cursor = { subscriber, workspace_id }
  const matches = matchTopics(options.patterns)
  const nextPage = createLogReader({ reads, position, matches, workspace_id })
  const deliver = createDelivery({ ...deps, subscriber, handler, pause, closed: () => closed })
  let lock: SessionLock | undefined
  let holder = 0
  let place = 0
  let doubtful_to = 0
  let marked = { last_id: 0, at: 0 }
  let redriven_at = 0
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
        else if (redriven_at !== position.redrive_at()) await redrive()
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
    try {
      const taken = await reads.take(cursor)
      holder = taken.holder
      place = taken.last_id
      doubtful_to = taken.reading_to
      marked = { last_id: place, at: performance.now() }
      return true
    } catch (error) {
      // without its place the lock is worth nothing
      await lock.release()
      lock = undefined
      throw error
    }
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

  /** Page after page up to the head; the next one is fetched while one is handled. */
  async function read(): Promise<void> {
    rung = false
    reading = true
    let ahead: Promise<LogPage> | undefined
    try {
      for (let page = await fetchPage(place); ; ) {
        ahead = page.end < position.head() ? fetchPage(page.end) : undefined
        // its failure is met below, unless this page ends the reading before
        ahead?.catch(() => undefined)
        if (!(await handle(page))) return
        if (ahead === undefined || redriven_at !== position.redrive_at()) return
        page = await ahead
      }
    } finally {
      // a mark on its way must not come after one that says less
      await ahead?.catch(() => undefined)
      reading = false
    }
  }

  /** Says first how far it will be in doubt what was handled. */
  async function fetchPage(after: number): Promise<LogPage> {
    const page = await nextPage(after)
    const last = page.rows.at(-1)
    if (last !== undefined) await mark(last.id)
    return page
  }

  /** False when it is not this process's to go on. */
  async function handle({ rows, end }: LogPage): Promise<boolean> {
    for (const row of rows) {
      if (closed || lock?.held() !== true) return false
      if ((await deliver(row, row.id <= doubtful_to)) === 'closed') return false
      place = row.id
      handled = true
      if (performance.now() - marked.at > MARK_MS) await mark(place)
    }
    place = Math.max(place, end)
    return true
  }

  /** While pages are fetched ahead marks may cross each other, so that doubt only grows; at rest it ends. */
  async function mark(reading_to: number): Promise<void> {
    const at_rest = !reading
    if (!(await reads.mark(cursor, { last_id: place, reading_to, holder, at_rest }))) {
      await lock?.release()
      lock = undefined
      throw new Error('another process has taken the place')
    }
    marked = { last_id: place, at: performance.now() }
  }

  /** What was put aside and is to be tried once more, out of its order. */
  async function redrive(): Promise<void> {
    const asked_at = position.redrive_at()
    for (let letters_left = true; letters_left; ) {
      const rows = await letters.toRedrive(cursor, REDRIVE)
      for (const row of rows) {
        if (closed || lock?.held() !== true) return
        const outcome = await deliver(row, true)
        if (outcome === 'closed') return
        if (outcome === 'handled') await letters.remove(subscriber, row.id)
      }
      letters_left = rows.length === REDRIVE
    }
    redriven_at = asked_at
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
