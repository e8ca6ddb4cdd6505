import { isPortFree } from '#platform/embedded/free-port.ts'

/**
 * Below what the system hands out to connections by itself, which could take a port before its server does; above 10080, the
 * last of those that `fetch` and browsers refuse to call (WHATWG Fetch, bad ports).
 */
const LOWEST = 10_081
const HIGHEST = 32_000

/** So many different ports of loopback that nobody listens on, drawn at random, as others draw at the same time. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    if (await isPortFree(port)) ports.add(port)
  }
  return [...ports]
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}
