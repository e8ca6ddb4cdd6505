import { memoryOf } from './memory.ts'
import { startPipeline } from './q13.ts'
import type { BenchStack } from './stack.ts'
import { round } from './stats.ts'

const AT_ONCE = 20
const CALM_MS = 5_000
const IDLE_MS = 20_000

/** Measures the cost of waiting: pipelines half of which wait for a timer and half for an event, while nothing happens. */
export async function q13Parked(stack: BenchStack, count: number) {
  const none = await idle(stack)
  const names = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 'timer' : 'event'))
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) await startPipeline(stack, name)
  })
  const began = performance.now()
  await Promise.all(lanes)
  for (let waiting = 0; waiting < count; ) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const [row] = await stack.db<{ waiting: number }[]>`
      select count(*)::int as waiting from pipeline_steps where state in ('waiting_timer', 'waiting_event')`
    waiting = row?.waiting ?? 0
  }
  const parked_s = round((performance.now() - began) / 1_000, 1)
  return [
    { parked: 0, ...none },
    { parked: count, ...(await idle(stack)), 'parked after s': parked_s },
  ]
}

/** Processor time a second, in milliseconds, and memory. */
async function idle(stack: BenchStack) {
  await new Promise((resolve) => setTimeout(resolve, CALM_MS))
  const before = stack.cpu()
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const after = stack.cpu()
  const perSecond = (name: keyof typeof after) => round((after[name] - before[name]) / (IDLE_MS / 1_000), 1)
  const memory = memoryOf(process.pid)
  const mb = (is: (process: string) => boolean) =>
    memory.filter(({ process }) => is(process)).reduce((sum, each) => sum + each.rss_mb, 0)
  return {
    'worker MB': mb((process) => process.includes('worker-main') || process.includes('max-semi-space')),
    'API and bench MB': Math.round(process.memoryUsage.rss() / 2 ** 20),
    'worker CPU ms/s': perSecond('worker'),
    'API and bench CPU ms/s': perSecond('api_and_load'),
    'Temporal CPU ms/s': perSecond('temporal'),
    'Postgres CPU ms/s': perSecond('postgres'),
  }
}
