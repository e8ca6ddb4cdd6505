import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { alertIdentityOf } from '#core/trigger/alert-identity.ts'
import { ruleAuthors } from '#core/trigger/console-schema.ts'
import type { RuleMatch } from '#core/trigger/match-rule.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'
import type { SignalOutcome } from '#core/trigger/outcome.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import { defineVerb } from '../define-verb.ts'
import type { IntakeContext } from '../service-deps.ts'
import { alertWaves, type Member, memberKey } from './alert-waves.ts'
import type { FiringAlert } from './firing-alerts.ts'
import { keptAlert } from './kept-alert.ts'
import { type Found, matchAlerts, rulesInOrder, whyUnmatched } from './match-alerts.ts'
import { endedSince, recover } from './recover.ts'
import { reportUnknown } from './report-unknown.ts'

export interface AlertResult {
  fingerprint: string
  outcome: SignalOutcome
  run_id?: string
  attached_count?: number
  rule?: string
  /** why no run was started */
  detail?: string
}

/** The inbox's knowledge of a delivery. */
export interface KeptDelivery {
  id: string
  /** an earlier attempt may have folded some of its alerts */
  again: boolean
}

interface Delivery {
  id: string
  /** runs that alerts of this delivery are part of already, by `memberKey` */
  folded: Map<string, { run_id: string; started: boolean }[]>
  truncated?: number
  rules: readonly TriggerRule[]
}

const MAX_REASON_CHARS = 4_000

/**
 * Processes the payload of an alerting tool: starts runs, attaches duplicates to active ones, notes recoveries. The results are in the
 * order of the alerts. `unrecognised_alert` and `payload_too_large` refuse the whole request; any other failure is one alert's outcome.
 */
export const receiveAlerts = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (
    ctx: IntakeContext,
    input: { body: unknown; source?: string; delivery?: KeptDelivery },
  ): Promise<{ results: AlertResult[]; truncated?: number }> => {
    const { alerts, suppressed = [], truncated } = normalizeAlerts(input.body, input.source, ctx.sha256)
    const delivery: Delivery = {
      id: input.delivery?.id ?? ctx.ids.next('delivery'),
      folded: input.delivery?.again ? await foldedBefore(ctx, input.delivery.id) : new Map(),
      rules: await rulesInOrder(ctx),
      ...(truncated !== undefined && { truncated }),
    }
    const members = alerts.map((alert): Member => ({ alert, ...alertIdentityOf(alert, ctx.sha256) }))
    const results = new Map<Member, AlertResult>()
    for (const wave of alertWaves(members)) {
      const firing = wave.filter(({ alert }) => alert.status === 'firing')
      const found = await matchAlerts(
        delivery.rules,
        firing,
        (alert, within) => whyUnmatched(ctx, delivery.rules, alert, { within }).detail,
      )
      await Promise.all(firing.map(async (each) => results.set(each, await fire(ctx, delivery, each, found.get(each)))))
      const resolved = wave.filter(({ alert }) => alert.status === 'resolved')
      // afterwards, so that no member counts as the last one while another is about to attach
      if (resolved.length > 0) await resolveAll(ctx, delivery, resolved, results)
      const started = firing.filter((each) => results.get(each)?.outcome === 'started')
      await recover(ctx, delivery, await endedSince(ctx, started))
    }
    await reportUnknown(ctx, suppressed)
    const inOrder = members.flatMap((each) => results.get(each) ?? [])
    const ignored = suppressed.map(
      ({ fingerprint, detail }): AlertResult => ({ fingerprint, outcome: 'suppressed', detail }),
    )
    return { results: [...inOrder, ...ignored], ...(truncated !== undefined && { truncated }) }
  },
)

async function foldedBefore(ctx: IntakeContext, deliveryId: string): Promise<Delivery['folded']> {
  const folded: Delivery['folded'] = new Map()
  for (const { fingerprint, member, run_id, started } of await ctx.alertFold.folded(ctx.workspace_id, deliveryId)) {
    const key = memberKey({ alert: { fingerprint }, member })
    folded.set(key, [...(folded.get(key) ?? []), { run_id, started }])
  }
  return folded
}

async function fire(
  ctx: IntakeContext,
  delivery: Delivery,
  { alert, member, scope, at, remembered_s }: Member,
  found: Found,
): Promise<AlertResult> {
  const { fingerprint } = alert
  if (found === undefined) return { fingerprint, outcome: 'unmatched' }
  if (typeof found === 'string') return { fingerprint, outcome: 'unmatched', detail: found }
  const before = delivery.folded.size > 0 ? delivery.folded.get(memberKey({ alert, member }))?.shift() : undefined
  if (before !== undefined) {
    return {
      fingerprint,
      outcome: before.started ? 'started' : 'attached',
      run_id: before.run_id,
      rule: found.rule.name,
    }
  }
  let admission: FiringAlert['admission'] | undefined
  const folded = await ctx.alertFold.fire(ctx, {
    fingerprint,
    delivery_id: delivery.id,
    member,
    scope,
    remembered_s,
    at,
    kept: keptAlert(ctx, alert, { ...runOf(found.rule), inputs: found.inputs }),
    // computed for alerts that start a run: in a storm, one in twenty
    get admission() {
      admission ??= admissionOf(ctx, delivery, alert, found)
      return admission
    },
  })
  return { fingerprint, ...folded, rule: found.rule.name }
}

function admissionOf(
  ctx: IntakeContext,
  { id, truncated }: Delivery,
  alert: NormalizedAlert,
  { rule, inputs }: RuleMatch,
): FiringAlert['admission'] {
  return {
    ...runOf(rule),
    inputs,
    reason: Array.from(alert.title).slice(0, MAX_REASON_CHARS).join(''),
    ...(rule.environment !== undefined && { environment: rule.environment }),
    ...(rule.profile !== undefined && { profile: rule.profile }),
    limits: rule.limits,
    ...ruleAuthors(rule),
    trigger: {
      type: 'alert',
      delivery_id: id,
      source: alert.source,
      rule: rule.name,
      fingerprint_digest: `sha256:${ctx.sha256(alert.fingerprint)}`,
      ...(truncated !== undefined && { truncated }),
    },
  }
}

function runOf({ run }: TriggerRule): { pack: string; template: string } {
  const [pack = '', template = ''] = run.split('/')
  return { pack, template }
}

async function resolveAll(
  ctx: IntakeContext,
  delivery: Delivery,
  resolved: Member[],
  results: Map<Member, AlertResult>,
): Promise<void> {
  const recovered = await recover(ctx, delivery, resolved)
  for (const each of resolved) {
    const { fingerprint } = each.alert
    results.set(each, { fingerprint, ...(recovered.get(memberKey(each)) ?? { outcome: 'unmatched' as const }) })
  }
}
