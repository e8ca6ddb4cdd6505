import type { Config } from '#platform/config.ts'
import { holderName } from '#platform/ids.ts'
import type { Logger } from '#platform/logger.ts'
import type { Bus } from '#services/bus/bus.ts'
import { createDurableBus } from '#services/bus/durable-bus.ts'
import { createOutboxHandOut } from '#services/bus/hand-out-outbox.ts'
import { createInProcessBus } from '#services/bus/in-process-bus.ts'
import { createTransitionPublisher } from '#services/bus/publish-transitions.ts'
import { BUS_CHANNEL, createBusLog, OUTBOX_CHANNEL } from '#store/bus/bus-log.ts'
import { createBusReads } from '#store/bus/bus-reads.ts'
import { createDeadLetters } from '#store/bus/dead-letters.ts'
import type { Db } from '#store/db.ts'
import { createLeases, type Leases } from '#store/leases.ts'
import { listenForRuns } from '#store/runs/listen-for-runs.ts'
import { createRunTransitions } from '#store/runs/run-transitions.ts'
import { createSessionLocks } from '#store/sql/session-locks.ts'
import { createBusNumberer } from './loops/bus-numberer.ts'

export interface BusParts {
  config: Pick<Config, 'bus'> & { databaseUrl: string }
  db: Db
  /** the leases of the process, if it has others */
  leases?: Leases
  log: Logger
  /** rest after the first failure of a handler, where it is not the usual one */
  backoff_ms?: number
}

/** Makes the configured bus, with its sources. Closing it ends every subscription first. */
export async function createBus(parts: BusParts): Promise<Bus> {
  const durable = parts.config.bus.kind === 'postgres'
  const changed = await createBusLog(parts.db).setDurable(durable)
  if (changed) parts.log.info({ durable }, 'the transitions of runs are written to the durable bus, or no longer')
  return durable ? await openDurableBus(parts) : await openInProcessBus(parts)
}

async function openDurableBus({ config, db, leases, log, backoff_ms }: BusParts): Promise<Bus> {
  const bus_log = createBusLog(db)
  const locks = createSessionLocks(config.databaseUrl, 'svc-bus-locks')
  const numbering = leases ?? createLeases(config.databaseUrl, holderName())
  const numberer = createBusNumberer({ bus_log, leases: numbering, retention_ms: config.bus.retentionMs, log })
  const bus = await createDurableBus({
    bus_log,
    reads: createBusReads(db),
    letters: createDeadLetters(db),
    locks,
    log,
    ...(backoff_ms !== undefined && { backoff_ms }),
    async listen(onNotify) {
      const { unlisten } = await db.listen(BUS_CHANNEL, onNotify, () => onNotify(undefined))
      return { close: () => unlisten().catch(() => undefined) }
    },
  })
  const waiting = await db.listen(OUTBOX_CHANNEL, numberer.kick)
  const runs = await listenForRuns(db)
  runs.on(numberer.kick)
  numberer.start()
  return {
    ...bus,
    async close() {
      await runs.close()
      await waiting.unlisten().catch(() => undefined)
      await bus.close()
      await numberer.stop()
      await locks.close()
      if (leases === undefined) await numbering.close()
    },
  }
}

async function openInProcessBus({ db, log }: BusParts): Promise<Bus> {
  const bus = createInProcessBus({
    onLost: (subscriber, { id, topic }, why) =>
      log.warn({ subscriber, message_id: id, topic, err: why }, 'a subscriber missed a message'),
  })
  const onError = (error: unknown) => log.warn({ err: error }, 'the bus could not be updated about other processes')
  const [time] = await db<[{ now: string }]>`select clock_timestamp() as now`
  const publisher = createTransitionPublisher({
    transitions: createRunTransitions(db),
    bus,
    since: time.now,
    onError,
  })
  const others = createOutboxHandOut({ bus_log: createBusLog(db), bus, onError })
  const waiting = await db.listen(OUTBOX_CHANNEL, others.wake, others.wake)
  const runs = await listenForRuns(db)
  runs.on(publisher.notify)
  return {
    ...bus,
    async close() {
      await runs.close()
      await waiting.unlisten().catch(() => undefined)
      await others.close()
      await publisher.settled()
      await bus.close()
    },
  }
}
