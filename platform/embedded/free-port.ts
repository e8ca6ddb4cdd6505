import { createServer } from 'node:net'
import { DomainError } from '#core/errors.ts'

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
