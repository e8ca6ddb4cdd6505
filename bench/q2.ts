import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import type { IntakeContext } from '#services/service-deps.ts'
import { bodyOf, fingerprintsOf, type Storm, settled, storm, WARM } from './alert-storm.ts'
import type { Load } from './http-load.ts'
import { createNaiveFold } from './naive-alerts.ts'
import { growthOf } from './q2-growth.ts'
import { defineScenario, type Given } from './scenario.ts'
import { serve } from './served.ts'
import { type BenchStack, plainStack } from './stack.ts'
import { interval, quantile, round } from './stats.ts'

interface Q2Options {
  alerts: number
  fingerprints: number
  /** connections that wait for their answer before they send again */
  concurrency: number
  /** blocks of each side, interleaved A B B A */
  pairs: number
  /** of the open loop, which sends independently of the answers */
  per_s: number
  /** attached alerts, and active fingerprints, of the large case */
  grown: number
  /** single requests per measurement of the cost of one */
  singles: number
}

type Side = 'governed' | 'naive'
type Block = Load & { cpu_ms_per_alert: number }

export const q2 = defineScenario({
  id: 'q2',
  stack: plainStack,
  run({ quick }: Given, stack: BenchStack) {
    const size = quick
      ? { alerts: 2_000, fingerprints: 100, pairs: 3 }
      : { alerts: 10_000, fingerprints: 500, pairs: 7 }
    return measure(stack, { ...size, concurrency: 64, per_s: 2_000, grown: 10_000, singles: quick ? 200 : 500 })
  },
  show(row) {
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
  },
})

/**
 * An alert storm, 95 % duplicates and 30 % of it one fingerprint, whose runs stay open: through the API as it is deployed, and one
 * transaction each in a server written by hand. Both in processes of their own, on the same database, from the same generator.
 */
async function measure(stack: BenchStack, options: Q2Options) {
  const port = String(await findFreePort(19_190))
  const api = await serve('bench/api-main.ts', { ...stack.env, SVC_PORT: port })
  const naive = await serve('bench/naive-main.ts', { DATABASE_URL: stack.database_url })
  const servers = { governed: { ...api, url: `${api.url}/triggers/alert` }, naive }
  const exact = { runs: 0, attached: 0, expected_runs: 0, expected_attached: 0 }
  async function block(side: Side, name: string, per_s?: number): Promise<Block> {
    await settled(stack)
    const server = servers[side]
    const cpu = server.cpu_ms()
    const load = await storm(server.url, name, { ...sizeOf(options), ...(per_s !== undefined && { per_s }) })
    if (side === 'governed') {
      const counted = await countOf(stack, name)
      exact.runs += counted.runs
      exact.attached += counted.attached
      exact.expected_runs += options.fingerprints
      exact.expected_attached += options.alerts - options.fingerprints
    }
    return { ...load, cpu_ms_per_alert: round((server.cpu_ms() - cpu) / options.alerts) }
  }
  try {
    for (const side of ['governed', 'naive'] as const) await storm(servers[side].url, 'warm', WARM)
    const closed = { governed: [] as Block[], naive: [] as Block[] }
    const open = { governed: [] as Block[], naive: [] as Block[] }
    for (let pair = 0; pair < options.pairs; pair += 1) {
      const order: Side[] = pair % 2 === 0 ? ['governed', 'naive'] : ['naive', 'governed']
      for (const side of order) closed[side].push(await block(side, `q2-${pair}`))
      for (const side of order) open[side].push(await block(side, `open-${pair}`, options.per_s))
    }
    const ratios = closed.governed.map((each, pair) => each.per_s / (closed.naive[pair]?.per_s ?? 0))
    await settled(stack)
    const handlers = await handlersAlone(stack, options)
    await settled(stack)
    return {
      handlers,
      ratio: {
        median: round(quantile(ratios, 0.5)),
        low: round(Math.min(...ratios)),
        high: round(Math.max(...ratios)),
      },
      closed: { governed: summary(closed.governed), naive: summary(closed.naive) },
      open: { per_s: options.per_s, governed: summary(open.governed), naive: summary(open.naive) },
      exact,
      growth: await growthOf(stack, servers.governed.url, options),
    }
  } finally {
    await naive.stop()
    await api.stop()
  }
}

/** The same storm without HTTP: what receives alerts, called from this process, and what folds them by hand. */
async function handlersAlone(stack: BenchStack, options: Q2Options) {
  const naive = await createNaiveFold(stack.database_url)
  const ctx: IntakeContext = {
    ...stack.services,
    actor: LOCAL_ACTOR,
    workspace_id: DEFAULT_WORKSPACE_ID,
    channel: 'api',
    request_id: 'req_bench',
  }
  const takes = {
    governed: async (text: string) => void (await receiveAlerts(ctx, { body: JSON.parse(text) })),
    naive: async (text: string) => void (await naive.fold(text)),
  }
  const rates = { governed: [] as number[], naive: [] as number[] }
  try {
    for (let pair = 0; pair < options.pairs; pair += 1) {
      const order: Side[] = pair % 2 === 0 ? ['governed', 'naive'] : ['naive', 'governed']
      for (const side of order) {
        await settled(stack)
        rates[side].push(await callers(takes[side], `alone-${pair}`, options))
      }
    }
  } finally {
    await naive.end()
  }
  const ratios = rates.governed.map((rate, pair) => rate / (rates.naive[pair] ?? 0))
  return {
    ratio: { median: round(quantile(ratios, 0.5)), low: round(Math.min(...ratios)), high: round(Math.max(...ratios)) },
    governed_per_s: Math.round(quantile(rates.governed, 0.5)),
    naive_per_s: Math.round(quantile(rates.naive, 0.5)),
  }
}

/** Alerts a second of as many callers as the storm has connections. */
async function callers(take: (text: string) => Promise<void>, name: string, options: Q2Options): Promise<number> {
  const order = fingerprintsOf(options)
  let next = 0
  const began = performance.now()
  const call = async () => {
    for (let n = next++; n < order.length; n = next++) await take(bodyOf([`${name}-${order[n]}`], `member-${n}`))
  }
  await Promise.all(Array.from({ length: options.concurrency }, call))
  return (order.length / (performance.now() - began)) * 1_000
}

const sizeOf = ({ alerts, fingerprints, concurrency }: Q2Options): Storm => ({ alerts, fingerprints, concurrency })

async function countOf({ db }: BenchStack, name: string): Promise<{ runs: number; attached: number }> {
  const [row] = await db<{ runs: number; attached: number }[]>`
    select count(*)::int as runs, coalesce(sum(attached_count), 0)::int as attached from runs
    where fingerprint like ${`alertmanager|${name}-%`}`
  return row ?? { runs: 0, attached: 0 }
}

function summary(blocks: Block[]): Block {
  const median = (key: keyof Block) =>
    quantile(
      blocks.map((block) => block[key]),
      0.5,
    )
  return {
    per_s: median('per_s'),
    p50_ms: median('p50_ms'),
    p99_ms: median('p99_ms'),
    max_ms: Math.max(...blocks.map((block) => block.max_ms)),
    not_202: blocks.reduce((sum, block) => sum + block.not_202, 0),
    generator_cores: median('generator_cores'),
    cpu_ms_per_alert: median('cpu_ms_per_alert'),
  }
}
