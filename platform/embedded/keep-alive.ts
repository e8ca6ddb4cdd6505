import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../logger.ts'
import { isRunning } from './processes.ts'

const CHECK_MS = 250
const RETRY_MS = 1_000

interface Server {
  pid: number
  stop(): Promise<void>
}

export interface KeptServer<T> {
  first: T
  stop(): Promise<void>
}

/** Starts a server and starts it again whenever its process ends. `start` gets the last one, to keep its ports. */
export async function keepAlive<T extends Server>(
  name: string,
  start: (last?: T) => Promise<T>,
  log: Logger,
): Promise<KeptServer<T>> {
  const first = await start()
  const stopping = new AbortController()
  let current = first
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      if (await isRunning(current.pid)) await pause(CHECK_MS, stopping.signal)
      else {
        log.error({ server: name, pid: current.pid }, 'server has exited; starting it again')
        try {
          current = await start(current)
        } catch (err) {
          log.error({ server: name, err }, 'server did not start')
          await pause(RETRY_MS, stopping.signal)
        }
      }
    }
  })()
  return {
    first,
    async stop() {
      stopping.abort()
      await watching
      await current.stop()
    },
  }
}

/** Sleeps, or returns at once when aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: true }).catch(() => undefined)
}
