import type { BenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

export interface Q8Options {
  /** background runs that are sent at once */
  backlog: number
  /** realtime runs that are measured, one after the other, on each side */
  probes: number
  /** how long each background run keeps its slot */
  hold_ms: number
}

/** Lanes do not leak: realtime runs while nothing else happens, against the same while the background lane has a long queue. */
export async function q8(stack: BenchStack, { backlog, probes, hold_ms }: Q8Options) {
  await probe(stack, 20)
  const idle = await probe(stack, probes)
  await flood(stack, backlog, hold_ms)
  const queued_before = await queued(stack)
  const flooded = await probe(stack, probes)
  const queued_after = await queued(stack)
  return {
    idle: side(idle),
    flooded: side(flooded),
    p99_wait_ratio: round(quantile(waits(flooded), 0.99) / quantile(waits(idle), 0.99)),
    p99_total_ratio: round(quantile(totals(flooded), 0.99) / quantile(totals(idle), 0.99)),
    /** the queue that the background lane had at the first and after the last probe: without one the rest says nothing */
    queued: { before: queued_before, after: queued_after },
  }
}

interface Probe {
  /** from admission to the first leg */
  wait_ms: number
  /** from the request to the answer with the finished run */
  total_ms: number
}

const waits = (sample: Probe[]) => sample.map((each) => each.wait_ms)
const totals = (sample: Probe[]) => sample.map((each) => each.total_ms)

const side = (sample: Probe[]) => ({
  wait_p50_ms: round(quantile(waits(sample), 0.5), 1),
  wait_p99_ms: round(quantile(waits(sample), 0.99), 1),
  total_p50_ms: round(quantile(totals(sample), 0.5), 1),
  total_p99_ms: round(quantile(totals(sample), 0.99), 1),
  n: sample.length,
})

async function probe(stack: BenchStack, count: number): Promise<Probe[]> {
  const sample: Probe[] = []
  for (let n = 0; n < count; n += 1) {
    const began = performance.now()
    const run = await post(`${stack.api}/triggers/manual`, {
      pack: 'bench',
      template: 'noop',
      inputs: { payload: 'x'.repeat(1_024) },
      wait: true,
    })
    if (run['status'] !== 'succeeded' || run['lane'] !== 'realtime') throw new Error(`probe: ${JSON.stringify(run)}`)
    const total_ms = performance.now() - began
    const wait_ms = Date.parse(String(run['started_at'])) - Date.parse(String(run['queued_at']))
    sample.push({ wait_ms, total_ms })
  }
  return sample
}

async function flood(stack: BenchStack, count: number, ms: number): Promise<void> {
  let left = count
  const send = async () => {
    while (left > 0) {
      left -= 1
      await post(`${stack.api}/triggers/manual`, { pack: 'bench', template: 'hold', inputs: { ms } })
    }
  }
  await Promise.all(Array.from({ length: 16 }, send))
}

async function queued({ db }: BenchStack): Promise<number> {
  const [row] = await db<{ runs: number }[]>`
    select count(*) as runs from runs where lane = 'background' and status = 'queued'`
  return row?.runs ?? 0
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, unknown>
}
