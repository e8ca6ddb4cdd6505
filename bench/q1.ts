import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import { governedRun } from './governed-run.ts'
import { defineScenario, type Given } from './scenario.ts'
import { type BenchStack, plainStack } from './stack.ts'
import { interval, quantile, ratioWithInterval, round } from './stats.ts'

const PAYLOAD = 'x'.repeat(1_000)

interface Block {
  runs_per_s: number
  latencies_ms: number[]
  tx_per_run: number
  wal_bytes_per_run: number
  cpu_ms_per_run: ReturnType<BenchStack['cpu']>
  last: string
}

interface Q1Options {
  concurrency: number[]
  pairs: number
  block_runs: (concurrency: number) => number
}

export const q1 = defineScenario({
  id: 'q1',
  stack: plainStack,
  run: ({ quick }: Given, stack: BenchStack) =>
    measure(stack, {
      concurrency: [1, 8, 32],
      pairs: quick ? 3 : 8,
      block_runs: (concurrency) => (quick ? 60 : 200) * (concurrency === 1 ? 0.5 : 1),
    }),
  show(rows) {
    console.log('\nQ1 governance is free: 3 steps, governed / raw Temporal')
    console.table(
      rows.map((row) => ({
        c: row.concurrency,
        'throughput ×': interval(row.throughput_ratio),
        'p50 ×': interval(row.p50_ratio),
        'runs/s': `${row.governed.runs_per_s} / ${row.raw.runs_per_s}`,
        'p50 ms': `${row.governed.p50_ms} / ${row.raw.p50_ms}`,
        'p99 ms': `${row.governed.p99_ms} / ${row.raw.p99_ms}`,
        events: `${row.governed.history_events} / ${row.raw.history_events}`,
        'tx/run': row.governed.tx_per_run,
        'WAL B/run': row.governed.wal_bytes_per_run,
      })),
    )
    console.log('CPU milliseconds a run, by process')
    console.table(
      rows.flatMap((row) => [
        { c: row.concurrency, side: 'governed', ...row.governed.cpu_ms_per_run },
        { c: row.concurrency, side: 'raw', ...row.raw.cpu_ms_per_run },
      ]),
    )
  },
})

/**
 * Governance is free: a governed run of three steps (50 policies, budget, audit, events) against the same three activities in
 * a plain workflow, on the same server, bundle, worker process and options. Blocks in the order A B B A.
 */
async function measure(stack: BenchStack, options: Q1Options) {
  const rows = []
  for (const concurrency of options.concurrency) {
    const count = options.block_runs(concurrency)
    const governed = () => block(stack, concurrency, count, () => governedRun(stack, 'noop', { payload: PAYLOAD }))
    const raw = () => block(stack, concurrency, count, () => rawRun(stack.client))
    await governed()
    await raw()
    const ours: Block[] = []
    const theirs: Block[] = []
    for (let pair = 0; pair < options.pairs; pair += 1) {
      const order = pair % 2 === 0 ? [governed, raw] : [raw, governed]
      for (const side of order) (side === governed ? ours : theirs).push(await side())
    }
    rows.push({ concurrency, ...(await compare(stack, ours, theirs)) })
  }
  return rows
}

async function compare(stack: BenchStack, ours: Block[], theirs: Block[]) {
  const pairs = ours.map((block, index) => [block, theirs[index] ?? block] as const)
  const side = async (blocks: Block[]) => {
    const latencies = blocks.flatMap((each) => each.latencies_ms)
    return {
      runs_per_s: round(
        quantile(
          blocks.map((each) => each.runs_per_s),
          0.5,
        ),
        1,
      ),
      p50_ms: round(quantile(latencies, 0.5), 1),
      p99_ms: round(quantile(latencies, 0.99), 1),
      history_events: await historyLength(stack.client, blocks.at(-1)?.last ?? ''),
      tx_per_run: round(
        quantile(
          blocks.map((each) => each.tx_per_run),
          0.5,
        ),
        1,
      ),
      cpu_ms_per_run: cpuOf(blocks),
      wal_bytes_per_run: Math.round(
        quantile(
          blocks.map((each) => each.wal_bytes_per_run),
          0.5,
        ),
      ),
    }
  }
  return {
    throughput_ratio: roundAll(ratioWithInterval(pairs.map(([a, b]) => a.runs_per_s / b.runs_per_s))),
    p50_ratio: roundAll(
      ratioWithInterval(pairs.map(([a, b]) => quantile(a.latencies_ms, 0.5) / quantile(b.latencies_ms, 0.5))),
    ),
    governed: await side(ours),
    raw: await side(theirs),
  }
}

async function block(
  stack: BenchStack,
  concurrency: number,
  count: number,
  run: () => Promise<string>,
): Promise<Block> {
  const before = await counters(stack)
  const latencies_ms: number[] = []
  let left = count
  let last = ''
  const began = performance.now()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) {
        const start = performance.now()
        last = await run()
        latencies_ms.push(performance.now() - start)
      }
    }),
  )
  const took_s = (performance.now() - began) / 1_000
  const after = await counters(stack)
  return {
    runs_per_s: count / took_s,
    latencies_ms,
    tx_per_run: (after.tx - before.tx) / count,
    wal_bytes_per_run: (after.wal - before.wal) / count,
    cpu_ms_per_run: {
      api_and_load: (after.cpu.api_and_load - before.cpu.api_and_load) / count,
      worker: (after.cpu.worker - before.cpu.worker) / count,
      temporal: (after.cpu.temporal - before.cpu.temporal) / count,
      postgres: (after.cpu.postgres - before.cpu.postgres) / count,
    },
    last,
  }
}

async function rawRun(client: Client): Promise<string> {
  const workflowId = `raw-${randomUUID()}`
  await client.workflow.execute('rawSteps', { workflowId, taskQueue: 'raw', args: [PAYLOAD] })
  return workflowId
}

async function counters({ db, cpu }: BenchStack) {
  await db`select pg_stat_force_next_flush()`
  const [row] = await db<{ tx: number; wal: number }[]>`
    select sum(xact_commit)::bigint as tx, (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint as wal from pg_stat_database where datname = current_database()`
  return { tx: 0, wal: 0, ...row, cpu: cpu() }
}

async function historyLength(client: Client, id: string): Promise<number> {
  const { historyLength } = await client.workflow.getHandle(id).describe()
  return historyLength
}

function cpuOf(blocks: Block[]): ReturnType<BenchStack['cpu']> {
  const part = (name: keyof ReturnType<BenchStack['cpu']>) =>
    round(
      quantile(
        blocks.map((each) => each.cpu_ms_per_run[name]),
        0.5,
      ),
      1,
    )
  return {
    api_and_load: part('api_and_load'),
    worker: part('worker'),
    temporal: part('temporal'),
    postgres: part('postgres'),
  }
}

function roundAll({ median, low, high }: { median: number; low: number; high: number }) {
  return { median: round(median), low: round(low), high: round(high) }
}
