import { randomInt } from 'node:crypto'
import { isPortFree } from './free-port.ts'

const ATTEMPTS = 10

/**
 * A loopback address and port out of 2^38 that no web page can find by trying, for a server that cannot check who asks.
 * Undefined on a system whose only loopback address is 127.0.0.1.
 */
export async function findHiddenAddress(): Promise<{ host: string; port: number } | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const host = `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
    const port = randomInt(32_768, 60_999)
    if (await isPortFree(port, host)) return { host, port }
  }
  return undefined
}
