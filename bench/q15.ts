import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { governedRun } from './governed-run.ts'
import { defineScenario, type Given } from './scenario.ts'
import { type BenchStack, startBenchStack } from './stack.ts'
import { interval, quantile, ratioWithInterval, round } from './stats.ts'

const QUEUE = 'bench-external'
const ENVIRONMENT = `name: development\nqueues: { external: { task_queue: ${QUEUE} } }\n`
/** Runs in a block. */
const BLOCK = 10

export const q15 = defineScenario({
  id: 'q15',
  stack: () => startBenchStack({}, { environment: ENVIRONMENT }),
  run: ({ quick }: Given, stack: BenchStack) => measure(stack, [0, 1_000], quick ? 4 : 12),
  show(rows) {
    console.log('\nQ15 your own code as a governed step: a run of one remote job / the activity in a plain workflow')
    console.table(rows.map(({ ratio, ...row }) => ({ ...row, 'p50 ×': interval(ratio) })))
  },
})

/** From the request to the end of the workflow, for activities that take this long. Blocks in the order A B B A. */
async function measure(stack: BenchStack, works_ms: number[], pairs: number) {
  Runtime.install({ logger: new DefaultLogger('ERROR') })
  const connection = await NativeConnection.connect({ address: stack.env['TEMPORAL_ADDRESS'] ?? '' })
  const work = async ({ ms }: { ms: number }) => {
    await delay(ms)
    return { ms }
  }
  const worker = await Worker.create({ connection, taskQueue: QUEUE, activities: { work } })
  const running = worker.run()
  const rows = []
  for (const ms of works_ms) {
    const governed = () => block(() => governedRun(stack, 'remote', { ms }))
    const raw = () => block(() => rawRun(stack, ms))
    await governed()
    await raw()
    const ours: number[] = []
    const theirs: number[] = []
    for (let pair = 0; pair < pairs; pair += 1)
      for (const side of pair % 2 === 0 ? [governed, raw] : [raw, governed])
        (side === governed ? ours : theirs).push(await side())
    const { median, low, high } = ratioWithInterval(ours.map((block, at) => block / (theirs[at] ?? Number.NaN)))
    rows.push({
      'activity ms': ms,
      'p50 ms': `${round(quantile(ours, 0.5), 1)} / ${round(quantile(theirs, 0.5), 1)}`,
      ratio: { median: round(median), low: round(low), high: round(high) },
    })
  }
  worker.shutdown()
  await running
  await connection.close()
  return rows
}

/** The median of some runs, one after the other, in milliseconds. */
async function block(run: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < BLOCK; n += 1) {
    const began = performance.now()
    await run()
    took.push(performance.now() - began)
  }
  return quantile(took, 0.5)
}

async function rawRun({ client }: BenchStack, ms: number): Promise<void> {
  await client.workflow.execute('rawRemote', {
    workflowId: `raw-${randomUUID()}`,
    taskQueue: 'raw',
    args: [QUEUE, ms],
  })
}
