import type { Log } from '#core/log.ts'
import type { BusLog } from '#store/bus/bus-log.ts'
import type { Lease, Leases } from '#store/leases.ts'
import { paced } from '#store/sql/paced.ts'

const BATCH = 2_000
/** Publications in this time after a batch join the next one. */
const REST_MS = 5
const POLL_MS = 200
const LEAD_MS = 1_000
const SWEEP_MS = 60_000

export interface BusNumbererDeps {
  bus_log: BusLog
  leases: Pick<Leases, 'take'>
  retention_ms: number
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Moves published events into the log, in batches. Several processes may run one; the leader among them saves work and decides nothing
 * (docs/bus.md).
 */
export function createBusNumberer({ bus_log, leases, retention_ms, log }: BusNumbererDeps) {
  let lead: Lease | undefined
  let asked_at = Number.NEGATIVE_INFINITY
  let swept_at = performance.now()
  let failing = false
  let polling: ReturnType<typeof setInterval> | undefined

  const numbering = paced(async () => {
    try {
      if (await leads()) await work()
      if (failing) log.warn({}, 'the bus numbers its messages again')
      failing = false
    } catch (error) {
      if (!failing) log.warn({ err: error }, 'the bus cannot number its messages; it tries again')
      failing = true
    }
  }, REST_MS)

  async function leads(): Promise<boolean> {
    if (lead?.held() === true) return true
    if (performance.now() - asked_at < LEAD_MS) return false
    asked_at = performance.now()
    lead = await leases.take('bus')
    if (lead !== undefined) log.info({}, 'numbering the messages of the bus')
    return lead !== undefined
  }

  async function work(): Promise<void> {
    let count: number
    do count = await bus_log.number(BATCH)
    while (count === BATCH && lead?.held() === true)
    if (performance.now() - swept_at < SWEEP_MS) return
    swept_at = performance.now()
    await bus_log.sweep(retention_ms)
  }

  return {
    start(): void {
      polling = setInterval(numbering.ask, POLL_MS)
      numbering.ask()
    },
    /** something was published */
    kick: numbering.ask,
    async stop(): Promise<void> {
      clearInterval(polling)
      numbering.ask()
      await numbering.close()
      await lead?.release()
    },
  }
}
