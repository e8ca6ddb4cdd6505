import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { findFreePort } from '#platform/embedded/free-port.ts'
import { receiveAlerts } from '#services/alerts/receive-alerts.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import type { IntakeContext } from '#services/context.ts'
import { type Load, loadWith } from './http-load.ts'
import { createNaiveFold } from './naive-alerts.ts'
import { openLoad } from './open-load.ts'
import { serve } from './served.ts'
import type { BenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

export interface Q2Options {
  alerts: number
  fingerprints: number
  /** connections that wait for their answer before they send again */
  concurrency: number
  /** blocks of each side, interleaved A B B A */
  pairs: number
  /** of the open loop, which sends whatever comes back */
  per_s: number
  /** attached alerts, and active fingerprints, of the large case */
  grown: number
  /** single requests per measurement of the cost of one */
  singles: number
}

type Side = 'governed' | 'naive'
type Block = Load & { cpu_ms_per_alert: number }

/**
 * An alert storm, 95 % duplicates and 30 % of it one fingerprint, whose runs stay open: through the API as it is deployed, and one
 * transaction each in a server written by hand. Both in processes of their own, on the same database, from the same generator.
 */
export async function q2(stack: BenchStack, options: Q2Options) {
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

type Storm = Pick<Q2Options, 'alerts' | 'fingerprints' | 'concurrency'> & { per_s?: number }

const sizeOf = ({ alerts, fingerprints, concurrency }: Q2Options): Storm => ({ alerts, fingerprints, concurrency })

/** until the code is compiled and the connections to the database stand */
const WARM: Storm = { alerts: 4_000, fingerprints: 20, concurrency: 64 }

/** Every fingerprint once at least, one of them 30 % of all, the others in turn. */
function fingerprintsOf({ alerts, fingerprints }: Storm): number[] {
  const hot = Math.floor(alerts * 0.3)
  return Array.from({ length: alerts }, (_, n) => {
    const spread = (n * 7_919) % alerts
    return spread < hot ? 0 : (spread - hot) % fingerprints
  })
}

function bodyOf(services: string[], member: string): string {
  const alerts = services.map((service) => ({
    status: 'firing',
    labels: { alertname: 'BenchStorm', service, severity: 'critical', instance: 'web-1.example.test:9100' },
    annotations: { summary: `${service} answers too slowly`, description: 'p99 has been over 2 s for 5 minutes' },
    startsAt: '2026-01-05T10:30:00.123Z',
    generatorURL: 'http://prometheus.example.test/graph?g0.expr=up',
    fingerprint: member,
  }))
  return JSON.stringify({ version: '4', groupKey: '{}:{}', receiver: 'svc', status: 'firing', alerts })
}

function storm(url: string, name: string, options: Storm): Promise<Load> {
  const order = fingerprintsOf(options)
  const { alerts: amount, concurrency: connections, per_s } = options
  const body = (n: number) => bodyOf([`${name}-${order[n]}`], `member-${n}`)
  return per_s === undefined ? loadWith(url, { amount, connections, body }) : openLoad(url, { amount, per_s, body })
}

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`${url}: ${response.status}`)
}

/** What the runs of the block before still do must not be paid for by the next one. */
async function settled({ db }: BenchStack): Promise<void> {
  const deadline = performance.now() + 60_000
  for (;;) {
    const [row] = await db<
      { busy: number }[]
    >`select count(*)::int as busy from runs where status in ('queued', 'running')`
    if (row?.busy === 0) return
    if (performance.now() > deadline) throw new Error(`${row?.busy} runs have not parked`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function countOf({ db }: BenchStack, name: string): Promise<{ runs: number; attached: number }> {
  const [row] = await db<{ runs: number; attached: number }[]>`
    select count(*)::int as runs, coalesce(sum(attached_count), 0)::int as attached from runs
    where fingerprint like ${`alertmanager|${name}-%`}`
  return row ?? { runs: 0, attached: 0 }
}

/** The median of single requests to one fingerprint: fresh and long attached to, among few active ones and among many. */
async function growthOf(stack: BenchStack, url: string, { singles, grown }: Q2Options) {
  const single = async (service: string) => {
    const times: number[] = []
    for (let n = 0; n < singles; n += 1) {
      const body = bodyOf([service], `single-${n}`)
      const sent = performance.now()
      await post(url, body)
      times.push(performance.now() - sent)
    }
    return round(quantile(times, 0.5))
  }
  await post(url, bodyOf(['cost-long'], 'first'))
  for (let sent = 0; sent < grown; sent += 1_000) {
    await post(url, bodyOf(Array(Math.min(1_000, grown - sent)).fill('cost-long'), `filler-${sent}`))
  }
  await post(url, bodyOf(['cost-fresh'], 'first'))
  await settled(stack)
  await single('cost-fresh')
  const attached = { fresh_p50_ms: await single('cost-fresh'), grown_p50_ms: await single('cost-long') }
  await activate(stack, grown)
  const active = { few_p50_ms: attached.fresh_p50_ms, many_p50_ms: await single('cost-fresh') }
  return { attached_count: grown, attached, active_fingerprints: grown, active }
}

/** Copies of a run as it begins, each with a fingerprint of its own; the engine does not know of them, as nothing waits for them. */
async function activate({ db }: BenchStack, count: number): Promise<void> {
  await db`
    insert into runs (id, workspace_id, pack, template, template_version, template_digest, plan_digest, status, lane, environment,
      environment_class, profile, risk, action_types, capabilities, inputs, inputs_hash, provenance, fingerprint, cap_micro_usd)
    select 'run_' || lpad(n::text, 26, '0'), workspace_id, pack, template, template_version, template_digest, plan_digest, 'queued',
      lane, environment, environment_class, profile, risk, action_types, capabilities, inputs, inputs_hash, provenance,
      'alertmanager|active-' || n || '|benchstorm', cap_micro_usd
    from runs, generate_series(1, ${count}) n where fingerprint = 'alertmanager|cost-fresh|benchstorm'`
  await db`analyze runs`
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
