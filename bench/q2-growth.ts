import { bodyOf, settled } from './alert-storm.ts'
import type { BenchStack } from './stack.ts'
import { quantile, round } from './stats.ts'

interface GrowthOptions {
  /** attached alerts, and active fingerprints, of the large case */
  grown: number
  /** single requests per measurement of the cost of one */
  singles: number
}

/** The median of single requests to one fingerprint: fresh and long attached to, among few active ones and among many. */
export async function growthOf(stack: BenchStack, url: string, { singles, grown }: GrowthOptions) {
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

async function post(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await response.arrayBuffer()
  if (response.status !== 202) throw new Error(`${url}: ${response.status}`)
}
