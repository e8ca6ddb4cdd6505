import { checkEvent } from '#core/bus/check-event.ts'
import type { BusLog } from '#store/bus-log.ts'
import { paced } from '#store/paced.ts'
import type { Bus } from './bus.ts'

const RING_REST_MS = 5

/**
 * Publishes from any process, whichever bus there is: what stands in the outbox is numbered for the log, or handed out by a
 * worker. The ring that follows is a courtesy, as both look there by themselves.
 */
export function createOutboxPublisher(bus_log: Pick<BusLog, 'publish' | 'ring'>): Pick<Bus, 'publish' | 'close'> {
  const bell = paced(() => bus_log.ring().catch(() => undefined), RING_REST_MS)
  return {
    async publish(events) {
      events.forEach(checkEvent)
      await bus_log.publish(events)
      bell.ask()
    },
    close: bell.close,
  }
}
