import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { q1 } from './q1.ts'
import { q2 } from './q2.ts'
import { q3 } from './q3.ts'
import { q6 } from './q6.ts'
import { Q8_KEY, q8 } from './q8.ts'
import { q9 } from './q9.ts'
import { q11 } from './q11.ts'
import { q11Recovery } from './q11-recovery.ts'
import { q12 } from './q12.ts'
import { q12Completeness } from './q12-completeness.ts'
import { startBenchStack } from './stack.ts'

const args = process.argv.slice(2)
const quick = args.includes('--quick')
const wanted = args.filter((arg) => !arg.startsWith('--'))
const known = ['q1', 'q2', 'q3', 'q6', 'q8', 'q9', 'q11', 'q12']
for (const id of wanted)
  if (!known.includes(id)) throw new Error(`there is no benchmark ${id}; known: ${known.join(', ')}`)
const ids = wanted.length === 0 ? known : wanted

const machine = {
  cores: cpus().length,
  model: cpus()[0]?.model,
  node: process.version,
  commit: commit(),
  load_at_start: loadavg()[0],
}
const stack = ids.some((id) => !['q6', 'q8', 'q9', 'q11', 'q12'].includes(id)) ? await startBenchStack() : undefined
const results: Record<string, unknown> = { machine, noisy: (machine.load_at_start ?? 0) > 0.5, quick }
try {
  if (stack && ids.includes('q1')) {
    const rows = await q1(stack, {
      concurrency: [1, 8, 32],
      pairs: quick ? 3 : 8,
      block_runs: (concurrency) => (quick ? 60 : 200) * (concurrency === 1 ? 0.5 : 1),
    })
    results['q1'] = rows
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
  }
  if (stack && ids.includes('q2')) {
    const size = quick
      ? { alerts: 2_000, fingerprints: 100, pairs: 3 }
      : { alerts: 10_000, fingerprints: 500, pairs: 7 }
    const row = await q2(stack, { ...size, concurrency: 64, per_s: 2_000, grown: 10_000, singles: quick ? 200 : 500 })
    results['q2'] = row
    console.log('\nQ2 alert storm: POST /triggers/alert, governed / one transaction an alert')
    console.table(
      (['closed', 'open'] as const).map((loop) => {
        const { governed, naive } = row[loop]
        return {
          loop: loop === 'open' ? `${row.open.per_s} a second` : '64 connections',
          'throughput ×': loop === 'open' ? '' : interval(row.ratio),
          'alerts/s': `${governed.per_s} / ${naive.per_s}`,
          'p50 ms': `${governed.p50_ms} / ${naive.p50_ms}`,
          'p99 ms': `${governed.p99_ms} / ${naive.p99_ms}`,
          'max ms': `${governed.max_ms} / ${naive.max_ms}`,
          'not 202': `${governed.not_202} / ${naive.not_202}`,
          'server CPU ms': `${governed.cpu_ms_per_alert} / ${naive.cpu_ms_per_alert}`,
          'generator cores': `${governed.generator_cores} / ${naive.generator_cores}`,
        }
      }),
    )
    const { exact, handlers } = row
    console.log(
      `without HTTP: ${handlers.governed_per_s} / ${handlers.naive_per_s} alerts/s, ${interval(handlers.ratio)} ×`,
    )
    console.log(
      `runs ${exact.runs} of ${exact.expected_runs}, attached ${exact.attached} of ${exact.expected_attached}`,
    )
    const { attached, active } = row.growth
    console.log(
      `one alert: ${attached.fresh_p50_ms} ms fresh, ${attached.grown_p50_ms} ms with ${row.growth.attached_count} attached, ${active.many_p50_ms} ms among ${row.growth.active_fingerprints} active fingerprints`,
    )
  }
  if (stack && ids.includes('q3')) {
    const row = await q3(stack, { gates: quick ? 40 : 200, burst: 50, parked: quick ? [0, 200] : [0, 1_000, 10_000] })
    results['q3'] = row
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
  }
} finally {
  await stack?.stop()
}
if (ids.includes('q6')) {
  const rows = await q6({
    sizes: [10, 1_000, 10_000],
    decisions: quick ? 20_000 : 200_000,
    most_ms: quick ? 2_000 : 10_000,
  })
  results['q6'] = rows
  console.log('\nQ6 policy in microseconds: one resolution by four authorities with its reasons, ours / Cedar')
  console.table(
    rows.map(({ mix, policies, matching, compile_ms, ours, cedar, ratio }) => ({
      policies: `${policies} ${mix}`,
      'reach a step': matching,
      'CPU µs': `${ours.mean_us} / ${cedar.mean_us}`,
      'p50 µs': `${ours.p50_us} / ${cedar.p50_us}`,
      'p99 µs': `${ours.p99_us} / ${cedar.p99_us}`,
      'a second': `${ours.per_s} / ${cedar.per_s}`,
      'times as fast': ratio,
      'compile ms': compile_ms,
    })),
  )
}
if (ids.includes('q8')) {
  // here the limits of the lanes are what is measured
  const laned = await startBenchStack({ SVC_LANE_REALTIME: '4', SVC_LANE_BACKGROUND: '2', SVC_SECRET_KEY: Q8_KEY })
  try {
    const row = await q8(laned, {
      backlogs: quick ? [100, 300] : args.includes('--deep') ? [100, 10_000] : [300, 1_000],
      noisy: quick ? 700 : 2_200,
      probes: quick ? 40 : 100,
      per_s: quick ? 4 : 2,
      hold_ms: 200,
      alone_ms: quick ? 5_000 : 20_000,
    })
    results['q8'] = row
    console.log('\nQ8 lanes do not leak: an alert to the first step of its run, alone and beside a background queue')
    console.table([
      { beside: 'nothing', 'p50 ms': row.idle.p50_ms, 'p99 ms': row.idle.p99_ms },
      {
        beside: `${row.noisy.queued.before} to ${row.noisy.queued.after} of another workspace in its lane`,
        'p50 ms': row.noisy.p50_ms,
        'p99 ms': row.noisy.p99_ms,
        'p50 ×': row.noisy.p50_ratio,
        'p99 ×': row.noisy.p99_ratio,
      },
      ...row.levels.map((level) => ({
        beside: `${level.queued.before} to ${level.queued.after} queued`,
        'p50 ms': level.p50_ms,
        'p99 ms': level.p99_ms,
        'p50 ×': level.p50_ratio,
        'p99 ×': level.p99_ratio,
        'background/s': `${level.background_per_s} / ${row.background_alone_per_s}`,
      })),
    ])
  } finally {
    await laned.stop()
  }
}
if (ids.includes('q9')) {
  // nobody works here: what is written stands as it is
  const reads = await startBenchStack({}, { worker: false })
  try {
    const full = args.includes('--full')
    const row = await q9(reads, {
      sizes: quick ? [1_000, 20_000] : full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000],
      requests: number('requests', quick ? 20 : 200),
      writes_per_s: 20,
    })
    results['q9'] = row
    console.log('\nQ9 lists that stay fast: GET /runs with every filter, while runs are written')
    for (const { runs, cases } of row.levels) {
      console.log(`${runs} runs`)
      console.table(
        cases.map(({ name, page, limit, p50_ms, p99_ms }) => ({
          filter: name,
          page,
          limit,
          'p50 ms': p50_ms,
          'p99 ms': p99_ms,
        })),
      )
    }
    console.table(
      row.levels.map(({ runs, writes_per_s, limit_50, limit_200, raw_keyset, cpu_ms_per_list }) => ({
        runs,
        'written/s': writes_per_s,
        'limit 50, p50 / p99 ms': `${limit_50.p50_ms} / ${limit_50.p99_ms}`,
        'limit 200, p50 / p99 ms': `${limit_200.p50_ms} / ${limit_200.p99_ms}`,
        'the rows alone, p50 / p99 ms': `${raw_keyset.p50_ms} / ${raw_keyset.p99_ms}`,
        'CPU ms a list, API / PostgreSQL': `${cpu_ms_per_list.api} / ${cpu_ms_per_list.postgres}`,
      })),
    )
  } finally {
    await reads.stop()
  }
}
if (ids.includes('q11')) {
  const row = await q11(
    quick ? { starts: 2, commands: 3, idle_ms: 5_000 } : { starts: 5, commands: 5, idle_ms: 30_000 },
  )
  results['q11'] = row
  console.log(
    '\nQ11 up, and up again: svc start until /healthz answers 200, on an empty data directory and on a used one',
  )
  console.table({ ...row.starts, ...row.commands })
  console.log(
    `the first command, which may have to build its bundle: ${row.first_command_ms} ms; memory of the idle stack:`,
  )
  console.table(row.memory)
  // the limits of the lanes are not to hold back what was killed
  const stack = await startBenchStack({ SVC_LANE_REALTIME: '250', SVC_LANE_BACKGROUND: '250' })
  try {
    const recovery = await q11Recovery(stack, { runs: 200, hold_ms: quick ? 5_000 : 10_000 })
    results['q11'] = { ...row, recovery }
    console.log('kill -9 of the worker in the middle of all their steps')
    console.table([recovery])
  } finally {
    await stack.stop()
  }
}
if (ids.includes('q12')) {
  const row = await q12(
    quick ? { block_ms: 1_500, pairs: 3, log: 50_000 } : { block_ms: 4_000, pairs: 5, log: 200_000 },
  )
  results['q12'] = row
  console.log('\nQ12 a bus with a memory: publish / plain insert, replay / raw read')
  console.table(row.publishing)
  console.table(row.replaying)
  const complete = await q12Completeness({
    seed: number('seed', Number(process.env['SEED'] ?? 1)),
    runs: number('runs', quick ? 1 : 10),
    hold_ms: number('hold', quick ? 2_000 : 30_000),
  })
  results['q12_completeness'] = complete
  console.log('subscribers, sessions, backends and the server killed under load; one transaction held open')
  console.table(complete)
}
const dir = fileURLToPath(new URL('./results/', import.meta.url))
mkdirSync(dir, { recursive: true })
const file = `${dir}${new Date().toISOString().replaceAll(':', '-')}.json`
writeFileSync(file, JSON.stringify(results, null, 2))
console.log(`\n${JSON.stringify(machine)}\n${file}`)
process.exit(0)

/** `--name=7` of the command line. */
function number(name: string, otherwise: number): number {
  const given = args.find((arg) => arg.startsWith(`--${name}=`))
  return given === undefined ? otherwise : Number(given.slice(name.length + 3))
}

function interval({ median, low, high }: { median: number; low: number; high: number }): string {
  return `${median} [${low}, ${high}]`
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
