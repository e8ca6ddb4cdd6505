import { Agent, request } from 'node:http'
import { startNaiveAlerts } from './naive-alerts.ts'
import type { BenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

export interface Q2Options {
  alerts: number
  fingerprints: number
  /** requests under way at once */
  concurrency: number
  /** blocks of each side, interleaved A B B A */
  pairs: number
  /** attached alerts, and active fingerprints, of the large case */
  grown: number
  /** single requests per measurement of the cost of one */
  singles: number
}

interface Block {
  alerts_per_s: number
  p50_ms: number
  p99_ms: number
  max_ms: number
  server_errors: number
}

/** An alert storm, 95 % duplicates and 30 % of it one fingerprint, whose runs stay open: through the API, and one transaction each. */
export async function q2(stack: BenchStack, options: Q2Options) {
  const naive = await startNaiveAlerts(stack.database_url)
  const agent = new Agent({ keepAlive: true, maxSockets: options.concurrency })
  const ours = `${stack.api}/triggers/alert`
  const sides = { governed: [] as Block[], naive: [] as Block[] }
  const exact = { runs: 0, attached: 0, expected_runs: 0, expected_attached: 0 }
  try {
    await storm(agent, ours, 'warm', { ...options, alerts: 500, fingerprints: 20 })
    await storm(agent, naive.url, 'warm', { ...options, alerts: 500, fingerprints: 20 })
    for (let pair = 0; pair < options.pairs; pair += 1) {
      const name = `q2-${pair}`
      for (const side of pair % 2 === 0 ? (['governed', 'naive'] as const) : (['naive', 'governed'] as const)) {
        await settled(stack)
        sides[side].push(await storm(agent, side === 'governed' ? ours : naive.url, name, options))
        if (side === 'naive') continue
        const counted = await countOf(stack, name)
        exact.runs += counted.runs
        exact.attached += counted.attached
        exact.expected_runs += options.fingerprints
        exact.expected_attached += options.alerts - options.fingerprints
      }
    }
    await settled(stack)
    const growth = await growthOf(stack, agent, ours, options)
    const [governed, peer] = [summary(sides.governed), summary(sides.naive)]
    return { governed, naive: peer, ratio: round(governed.alerts_per_s / peer.alerts_per_s), exact, growth }
  } finally {
    agent.destroy()
    await naive.stop()
  }
}

/** Every fingerprint once at least, one of them 30 % of all, the others in turn. */
function fingerprintsOf({ alerts, fingerprints }: Q2Options): number[] {
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

async function storm(agent: Agent, url: string, name: string, options: Q2Options): Promise<Block> {
  const order = fingerprintsOf(options)
  const times: number[] = []
  let server_errors = 0
  let next = 0
  const began = performance.now()
  const sender = async () => {
    for (let n = next++; n < order.length; n = next++) {
      const body = bodyOf([`${name}-${order[n]}`], `member-${n}`)
      const sent = performance.now()
      const status = await post(agent, url, body)
      times.push(performance.now() - sent)
      if (status !== 202) server_errors += 1
    }
  }
  await Promise.all(Array.from({ length: options.concurrency }, sender))
  return {
    alerts_per_s: Math.round((order.length / (performance.now() - began)) * 1_000),
    p50_ms: round(quantile(times, 0.5), 1),
    p99_ms: round(quantile(times, 0.99), 1),
    max_ms: round(Math.max(...times), 1),
    server_errors,
  }
}

function post(agent: Agent, url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sending = request(url, { agent, method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    sending.on('error', reject)
    sending.end(body)
  })
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
async function growthOf(stack: BenchStack, agent: Agent, url: string, { singles, grown }: Q2Options) {
  const single = async (service: string) => {
    const times: number[] = []
    for (let n = 0; n < singles; n += 1) {
      const body = bodyOf([service], `single-${n}`)
      const sent = performance.now()
      await post(agent, url, body)
      times.push(performance.now() - sent)
    }
    return round(quantile(times, 0.5))
  }
  await post(agent, url, bodyOf(['cost-long'], 'first'))
  for (let sent = 0; sent < grown; sent += 1_000) {
    await post(agent, url, bodyOf(Array(Math.min(1_000, grown - sent)).fill('cost-long'), `filler-${sent}`))
  }
  await post(agent, url, bodyOf(['cost-fresh'], 'first'))
  await settled(stack)
  await single('cost-fresh')
  const attached = { fresh_p50_ms: await single('cost-fresh'), grown_p50_ms: await single('cost-long') }
  await activate(stack, grown)
  const active = { few_p50_ms: attached.fresh_p50_ms, many_p50_ms: await single('cost-fresh') }
  return { attached_count: grown, attached, active_fingerprints: grown, active }
}

/** Copies of a parked run, each with a fingerprint of its own; the engine does not know of them, as nothing waits for them. */
async function activate({ db }: BenchStack, count: number): Promise<void> {
  await db`
    insert into runs (id, workspace_id, pack, template, template_version, template_digest, plan_digest, status, lane, environment,
      environment_class, profile, risk, action_types, capabilities, inputs, inputs_hash, provenance, fingerprint, cap_micro_usd,
      awaiting_since)
    select 'run_' || lpad(n::text, 26, '0'), workspace_id, pack, template, template_version, template_digest, plan_digest, status,
      lane, environment, environment_class, profile, risk, action_types, capabilities, inputs, inputs_hash, provenance,
      'alertmanager|active-' || n || '|benchstorm', cap_micro_usd, awaiting_since
    from runs, generate_series(1, ${count}) n where fingerprint = 'alertmanager|cost-fresh|benchstorm'`
  await db`analyze runs`
}

function summary(blocks: Block[]): Block {
  const of = (key: keyof Block) =>
    quantile(
      blocks.map((block) => block[key]),
      0.5,
    )
  return {
    alerts_per_s: of('alerts_per_s'),
    p50_ms: of('p50_ms'),
    p99_ms: of('p99_ms'),
    max_ms: Math.max(...blocks.map((block) => block.max_ms)),
    server_errors: blocks.reduce((sum, block) => sum + block.server_errors, 0),
  }
}
