import { randomUUID } from 'node:crypto'
import { defineScenario, type Given } from './scenario.ts'
import { type BenchStack, plainStack } from './stack.ts'
import { quantile, round } from './stats.ts'

const now = () => performance.timeOrigin + performance.now()

interface Q3Options {
  gates: number
  burst: number
  /** numbers of other parked gates, ascending */
  parked: number[]
}

export const q3 = defineScenario({
  id: 'q3',
  stack: plainStack,
  run: ({ quick }: Given, stack: BenchStack) =>
    measure(stack, { gates: quick ? 40 : 200, burst: 50, parked: quick ? [0, 200] : [0, 1_000, 10_000] }),
  show(row) {
    console.log('\nQ3 approve, and it moves: POST resume → next operator / raw Update → next activity')
    console.table([
      ...row.levels.map(({ parked, p50_ratio, governed, raw }) => ({
        gates: `one by one, ${parked} others parked`,
        'p50 ×': p50_ratio,
        'p50 ms': `${governed.p50_ms} / ${raw.p50_ms}`,
        'p99 ms': `${governed.p99_ms} / ${raw.p99_ms}`,
      })),
      {
        gates: '50 at once',
        'p50 ms': `${row.burst.governed.p50_ms} / ${row.burst.raw.p50_ms}`,
        'p99 ms': `${row.burst.governed.p99_ms} / ${row.burst.raw.p99_ms}`,
      },
    ])
    console.log(`with the most others parked, the median is ${row.growth} times that with the fewest`)
  },
})

/** Approve, and it moves: `POST …/resume` to the first line of the next step's operator, against a raw Update to the next activity. */
async function measure(stack: BenchStack, options: Q3Options) {
  await alternating(stack, 20)
  const levels = []
  let parked_gates = 0
  for (const parked of options.parked) {
    await parkMany(stack, parked - parked_gates)
    parked_gates = parked
    const { governed, raw } = await alternating(stack, options.gates)
    const p50_ratio = round(quantile(governed, 0.5) / quantile(raw, 0.5))
    levels.push({ parked, p50_ratio, governed: side(governed), raw: side(raw) })
  }
  const governed_burst = await burst(stack, options.burst, parkGoverned, approveGoverned)
  const raw_burst = await burst(stack, options.burst, parkRaw, approveRaw)
  const first = levels[0]?.governed.p50_ms ?? 0
  const last = levels.at(-1)?.governed.p50_ms ?? 0
  return {
    levels,
    /** the last level's median over the first one's */
    growth: round(last / first),
    burst: { gates: options.burst, governed: side(governed_burst), raw: side(raw_burst) },
  }
}

/** Other people's gates: parked, and left alone. */
async function parkMany(stack: BenchStack, count: number): Promise<void> {
  let left = count
  const park = async () => {
    while (left > 0) {
      left -= 1
      await parkGoverned(stack)
    }
  }
  await Promise.all(Array.from({ length: 16 }, park))
}

const side = (sample: number[]) => ({
  p50_ms: round(quantile(sample, 0.5), 1),
  p99_ms: round(quantile(sample, 0.99), 1),
  n: sample.length,
})

async function alternating(stack: BenchStack, gates: number) {
  const governed: number[] = []
  const raw: number[] = []
  for (let n = 0; n < gates; n += 1) {
    const ours = async () => governed.push(await approveGoverned(stack, await parkGoverned(stack)))
    const theirs = async () => raw.push(await approveRaw(stack, await parkRaw(stack)))
    for (const each of n % 2 === 0 ? [ours, theirs] : [theirs, ours]) await each()
  }
  return { governed, raw }
}

async function burst(
  stack: BenchStack,
  gates: number,
  park: (stack: BenchStack) => Promise<string>,
  approve: (stack: BenchStack, id: string) => Promise<number>,
): Promise<number[]> {
  const parked: string[] = []
  for (let n = 0; n < gates; n += 1) parked.push(await park(stack))
  return await Promise.all(parked.map((id) => approve(stack, id)))
}

async function parkGoverned(stack: BenchStack): Promise<string> {
  const { id } = await post(`${stack.api}/packs/bench/gated/run`, { inputs: {} })
  for (;;) {
    const { status } = (await (await fetch(`${stack.api}/runs/${id}`)).json()) as { status: string }
    if (status === 'awaiting_approval') return await parked(stack, id, GOVERNED_PARKED_EVENTS)
    if (status !== 'queued' && status !== 'running') throw new Error(`run ${id} is ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function approveGoverned(stack: BenchStack, id: string): Promise<number> {
  const began = now()
  const marked = stack.marked(id)
  await post(`${stack.api}/runs/${id}/resume`, { decision: 'approve' })
  return (await marked) - began
}

async function parkRaw(stack: BenchStack): Promise<string> {
  const id = `raw-${randomUUID()}`
  await stack.client.workflow.start('rawGate', { workflowId: id, taskQueue: 'raw', args: [id] })
  return await parked(stack, id, RAW_PARKED_EVENTS)
}

/** Length of the history once the engine, too, has nothing left to do but wait: the gate's timer is its last event. */
const RAW_PARKED_EVENTS = 5
const GOVERNED_PARKED_EVENTS = 7

async function parked(stack: BenchStack, id: string, events: number): Promise<string> {
  for (;;) {
    const { historyLength } = await stack.client.workflow.getHandle(id).describe()
    if (historyLength >= events) return id
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function approveRaw(stack: BenchStack, id: string): Promise<number> {
  const began = now()
  const marked = stack.marked(id)
  await stack.client.workflow.getHandle(id).executeUpdate('go')
  return (await marked) - began
}

async function post(url: string, body: object): Promise<{ id: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { id: string }
}
