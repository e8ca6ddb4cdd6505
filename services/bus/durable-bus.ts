import type { BusLog } from '#store/bus/bus-log.ts'
import type { BusReads } from '#store/bus/bus-reads.ts'
import type { DeadLetters } from '#store/bus/dead-letters.ts'
import { paced } from '#store/sql/paced.ts'
import type { SessionLocks } from '#store/sql/session-locks.ts'
import type { Bus, SubscribeOptions } from './bus.ts'
import { createBusPosition, parseBatch } from './bus-position.ts'
import {
  type DurableSubscription,
  type DurableSubscriptionDeps,
  startDurableSubscription,
} from './durable-subscription.ts'
import { createOutboxPublisher } from './hand-out-outbox.ts'

const POLL_MS = 1_000

export interface DurableBusParts {
  bus_log: BusLog
  reads: BusReads
  letters: DeadLetters
  locks: SessionLocks
  /** calls back with the payload of each notification of the numberer, and with undefined when some may have been missed */
  listen(onNotify: (payload: string | undefined) => void): Promise<{ close(): Promise<void> }>
  log: DurableSubscriptionDeps['log']
  attempts?: number
  backoff_ms?: number
  retry_ms?: number
}

/** The bus with a memory: publishing is a commit, and every subscriber has its cursor in one log. */
export async function createDurableBus(parts: DurableBusParts): Promise<Bus> {
  const { bus_log, reads, letters, locks, log, attempts = 5, backoff_ms = 200, retry_ms = 1_000 } = parts
  const position = createBusPosition(reads)
  const open = new Set<DurableSubscription>()
  const publisher = createOutboxPublisher(bus_log)
  const refresh = paced(async () => {
    await position
      .refresh()
      .then(() => wakeAll())
      .catch((error: unknown) => log.warn({ err: error }, 'the bus cannot be read; it is polled on'))
  }, 0)

  function wakeAll(): void {
    for (const subscription of open) subscription.wake()
  }

  const listening = await parts.listen((payload) => {
    const batch = payload === undefined ? undefined : parseBatch(payload)
    if (batch === undefined || !position.learn(batch)) return refresh.ask()
    for (const subscription of open) subscription.wake(batch)
  })
  const poll = setInterval(refresh.ask, POLL_MS)
  refresh.ask()

  return {
    publish: publisher.publish,
    subscribe(options: SubscribeOptions) {
      const started = startDurableSubscription(
        { reads, letters, locks, position, log, attempts, backoff_ms, retry_ms },
        options,
      )
      open.add(started)
      return {
        ready: started.ready,
        async close() {
          open.delete(started)
          await started.close()
        },
      }
    },
    async close() {
      clearInterval(poll)
      await Promise.all([...open].map((subscription) => subscription.close()))
      open.clear()
      await listening.close()
      await refresh.close()
      await publisher.close()
    },
  }
}
