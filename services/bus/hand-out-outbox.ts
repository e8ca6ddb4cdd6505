import { checkEvent } from '#core/bus/known-topics.ts'
import type { BusLog } from '#store/bus/bus-log.ts'
import { paced } from '#store/sql/paced.ts'
import type { Bus } from './bus.ts'

const NOTIFY_REST_MS = 5

/**
 * Publishes from any process, on either bus: entries of the outbox get a number in the log, or a worker passes them on. The notification
 * only makes it faster, as both poll the outbox.
 */
export function createOutboxPublisher(bus_log: Pick<BusLog, 'publish' | 'notify'>): Pick<Bus, 'publish' | 'close'> {
  const notifying = paced(() => bus_log.notify().catch(() => undefined), NOTIFY_REST_MS)
  return {
    async publish(events) {
      events.forEach(checkEvent)
      await bus_log.publish(events)
      notifying.ask()
    },
    close: notifying.close,
  }
}

const BATCH = 500
const POLL_MS = 1_000

export interface HandOutDeps {
  bus_log: Pick<BusLog, 'take'>
  bus: Pick<Bus, 'publish'>
  onError(error: unknown): void
}

/** Takes what other processes published from the outbox and passes it to the subscribers of this one: each event once, in one process. */
export function createOutboxHandOut({ bus_log, bus, onError }: HandOutDeps) {
  const taking = paced(async () => {
    try {
      for (let taken = BATCH; taken === BATCH; ) {
        const events = await bus_log.take(BATCH)
        await bus.publish(events)
        taken = events.length
      }
    } catch (error) {
      onError(error)
    }
  }, 0)
  const polling = setInterval(taking.ask, POLL_MS)
  return {
    /** something was published */
    wake: taking.ask,
    async close(): Promise<void> {
      clearInterval(polling)
      await taking.close()
    },
  }
}
