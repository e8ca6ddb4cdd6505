import { createServer } from 'node:net'
import { DomainError } from '#core/errors.ts'
import type { Logger } from '../logger.ts'
import { poll } from './processes.ts'

/** Tells whether nothing listens on `port` of `host` now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)))
  })
}

/** The first free port from `wanted` upwards, without those in `taken`. */
export async function findFreePort(wanted: number, taken: readonly number[] = []): Promise<number> {
  for (let port = wanted; port < Math.min(wanted + 200, 65_536); port += 1) {
    if (!taken.includes(port) && (await isPortFree(port))) return port
  }
  throw new DomainError('dependency_unavailable', `no free port between ${wanted} and ${wanted + 200}`)
}

/** As long as a killed server may hold its port until the system has ended all of its threads, or a connection that passes through it. */
const HELD_MS = 10_000

/** The port of a server that starts again: its clients know no other one, so it is waited for. */
export async function awaitPort(port: number, log: Pick<Logger, 'warn'>): Promise<number> {
  if (await isPortFree(port)) return port
  log.warn({ port }, 'the port is held: waiting for it')
  if (await poll(() => isPortFree(port), HELD_MS)) return port
  throw new DomainError(
    'dependency_unavailable',
    `port ${port} is taken, and the clients of the server know no other one`,
  )
}
