import type { BenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

export interface RecoveryOptions {
  /** in flight when the worker dies */
  runs: number
  /** duration of each run's step */
  hold_ms: number
}

const GIVE_UP_MS = 180_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** `kill -9` of the only worker with runs in the middle of a step, and another one at once: when has each moved, when are all done? */
export async function q11Recovery(stack: BenchStack, { runs, hold_ms }: RecoveryOptions) {
  const ids = await Promise.all(Array.from({ length: runs }, () => start(stack, hold_ms)))
  await reach(() => count(stack, ids, 'running'), runs, 'are running')
  const [{ killed_at } = { killed_at: new Date() }] = await stack.db<{ killed_at: Date }[]>`
    select clock_timestamp() as killed_at`
  const began = performance.now()
  await stack.replaceWorker()
  const worker_s = performance.now() - began
  await reach(() => count(stack, ids, 'succeeded'), runs, 'have succeeded')
  const done_s = performance.now() - began
  const moved = await stack.db<{ after_ms: number }[]>`
    select extract(epoch from min(ts) - ${killed_at}) * 1000 as after_ms
    from run_events where run_id = any(${ids}) and ts > ${killed_at} group by run_id`
  const waits = moved.map(({ after_ms }) => Number(after_ms))
  return {
    runs,
    'new worker s': round(worker_s / 1_000),
    'first moved s': round(Math.min(...waits) / 1_000),
    'half moved s': round(quantile(waits, 0.5) / 1_000),
    'all moved s': round(Math.max(...waits) / 1_000),
    'all done s': round(done_s / 1_000),
  }
}

async function start(stack: BenchStack, ms: number): Promise<string> {
  const response = await fetch(`${stack.api}/packs/bench/hold/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { ms } }),
  })
  if (!response.ok) throw new Error(`a start was answered with ${response.status}: ${await response.text()}`)
  const { id } = (await response.json()) as { id: string }
  return id
}

async function count(stack: BenchStack, ids: string[], status: string): Promise<number> {
  const [row] = await stack.db<{ count: number }[]>`
    select count(*)::int as count from runs where id = any(${ids}) and status = ${status}`
  return row?.count ?? 0
}

async function reach(read: () => Promise<number>, wanted: number, what: string): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS
  for (;;) {
    const found = await read()
    if (found === wanted) return
    if (performance.now() > deadline) throw new Error(`only ${found} of ${wanted} ${what}`)
    await pause(50)
  }
}
