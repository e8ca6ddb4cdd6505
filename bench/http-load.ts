import autocannon from 'autocannon'
import { round } from './stats.ts'

export interface Load {
  per_s: number
  p50_ms: number
  p99_ms: number
  max_ms: number
  /** answers with another status than 202, requests without one among them */
  not_202: number
  /** processor time of the generator, as a share of one core */
  generator_cores: number
}

interface LoadOptions {
  /** the body of the n-th request */
  body(n: number): string
  amount: number
  /** each sends again when it has its answer */
  connections: number
}

/** POSTs JSON over connections that are kept alive, from this process. */
export async function loadWith(url: string, options: LoadOptions): Promise<Load> {
  let sent = 0
  const cpu = process.cpuUsage()
  const began = performance.now()
  const result = await autocannon({
    url,
    connections: options.connections,
    amount: options.amount,
    // it ends with a sample
    sampleInt: 20,
    requests: [
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: options.body(sent++) }),
      },
    ],
  })
  const took_ms = performance.now() - began
  const { user, system } = process.cpuUsage(cpu)
  return {
    per_s: Math.round((options.amount / took_ms) * 1_000),
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    max_ms: result.latency.max,
    not_202: options.amount - (result.statusCodeStats?.['202']?.count ?? 0),
    generator_cores: round((user + system) / 1_000 / took_ms),
  }
}
