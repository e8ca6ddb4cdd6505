import { Pool } from 'undici'
import type { Load } from './http-load.ts'
import { quantile, round } from './stats.ts'

interface OpenLoadOptions {
  /** the body of the n-th request */
  body(n: number): string
  amount: number
  /** requests a second, independent of the answers */
  per_s: number
}

/** Enough that none waits for a connection while the server still answers. */
const CONNECTIONS = 512

/**
 * POSTs JSON at a fixed rate from this process. A request is due at its own moment and its time counts from there, so that a stall
 * of the server, or of this generator, is paid by all that fall into it.
 */
export async function openLoad(url: string, { body, amount, per_s }: OpenLoadOptions): Promise<Load> {
  const { origin, pathname } = new URL(url)
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 })
  const headers = { 'content-type': 'application/json' }
  const times: number[] = []
  let not_202 = 0
  const send = async (n: number, due: number) => {
    try {
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body: body(n) })
      await answer.body.dump()
      if (answer.statusCode !== 202) not_202 += 1
    } catch {
      not_202 += 1
    }
    times.push(performance.now() - due)
  }

  const cpu = process.cpuUsage()
  const began = performance.now()
  const sent: Promise<void>[] = []
  while (sent.length < amount) {
    const passed = performance.now() - began
    while (sent.length < amount && (sent.length * 1_000) / per_s <= passed) {
      sent.push(send(sent.length, began + (sent.length * 1_000) / per_s))
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(sent)
  const took_ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  await pool.close()
  return {
    per_s: Math.round((amount / took_ms) * 1_000),
    p50_ms: round(quantile(times, 0.5), 1),
    p99_ms: round(quantile(times, 0.99), 1),
    max_ms: round(Math.max(...times), 1),
    not_202,
    generator_cores: round((user + system) / 1_000 / took_ms),
  }
}
