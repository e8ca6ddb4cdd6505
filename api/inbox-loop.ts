import type { Log } from '#core/log.ts'

/** A lock that one process has. */
interface Lease {
  held(): boolean
  release(): Promise<void>
}

interface InboxLoopPorts {
  /** undefined while another process drains the inbox */
  lead(onLost: () => void): Promise<Lease | undefined>
  /** drains as far as it may; answers with how many deliveries that were */
  drain(leading: () => boolean): Promise<number>
  away(): boolean
  log: Pick<Log, 'info' | 'warn'>
}

const EVERY_MS = 1_000
/** Another process leads. */
const LEAD_EVERY_MS = 1_000

/** Drains the inbox whenever something may wait in it, in one process of all. */
export function createInboxLoop({ lead, drain, away, log }: InboxLoopPorts) {
  let lease: Lease | undefined
  let lead_at = 0
  let stopped = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let current: Promise<void> | undefined
  let again = false

  async function round(): Promise<void> {
    if (lease === undefined && performance.now() >= lead_at) {
      lead_at = performance.now() + LEAD_EVERY_MS
      lease = await lead(() => {
        lease = undefined
        lead_at = 0
      })
    }
    const leading = lease
    if (leading === undefined || away()) return
    const drained = await drain(() => !stopped && leading.held())
    if (drained > 0) log.info({ count: drained }, 'processed deliveries that waited in the inbox')
  }

  function run(): void {
    clearTimeout(timer)
    if (stopped) return
    if (current !== undefined) {
      again = true
      return
    }
    current = round()
      .catch((error: unknown) => log.warn({ err: error }, 'the inbox could not be drained; it is tried again'))
      .finally(() => {
        current = undefined
        timer = stopped ? undefined : setTimeout(run, again && !away() ? 0 : EVERY_MS)
        again = false
      })
  }

  return {
    start: run,
    wake: run,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
      await lease?.release()
    },
  }
}
