import type { Ingress } from '#core/ingress/ingress.ts'
import type { ActedStage } from '#core/ingress/trace-schema.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { alertIdentityOf } from '#core/trigger/alert-identity.ts'
import { ruleAuthors } from '#core/trigger/console-schema.ts'
import type { SignalOutcome } from '#core/trigger/outcome.ts'
import { orderRules, type TriggerRule } from '#core/trigger/rule.ts'
import { type Member, memberKey } from '../alerts/alert-waves.ts'
import { keptAlert } from '../alerts/kept-alert.ts'
import { matchOrDetail, whyUnmatched } from '../alerts/match-alerts.ts'
import { previewAlert } from '../alerts/preview-alerts.ts'
import { endedSince, recover } from '../alerts/recover.ts'
import type { IntakeContext } from '../service-deps.ts'

/** The outcome of one delivery. */
export type ActedUpon = {
  outcome: SignalOutcome
  run_id?: string
  attached_count?: number
  rule?: string
  /** why no run was started */
  detail?: string
  /** the stage of its end, when it matched no rule or started no run */
  stopped_at?: ActedStage
  /** shown to users of the workspace only: the nearest rule */
  why?: string
}

type Trigger = JsonObject & { type: string; delivery_id: string }

const MAX_REASON_CHARS = 4_000

/** Starts the run of the first matching rule, attaches to the active one of the same fingerprint, or notes a recovery. */
export async function actOnSignal(
  ctx: IntakeContext,
  ingress: Ingress,
  alert: NormalizedAlert,
  trigger: Trigger,
): Promise<ActedUpon> {
  const rules = await rulesOf(ctx, ingress)
  const spoken: Member = { alert, ...alertIdentityOf(alert, ctx.sha256) }
  const { member, scope, at, remembered_s } = spoken
  const delivery = { id: trigger.delivery_id, rules }
  if (alert.status === 'resolved') {
    const recovered = await recover(ctx, delivery, [spoken])
    return recovered.get(memberKey(spoken)) ?? { outcome: 'unmatched', stopped_at: 'run' }
  }
  const found = matchOrDetail(rules, alert, 'ingress')
  if (found === undefined) {
    const { detail: why } = whyUnmatched(ctx, rules, alert, { on: 'ingress' })
    return { outcome: 'unmatched', stopped_at: 'rules', ...(why !== undefined && { why }) }
  }
  if (typeof found === 'string') return { outcome: 'unmatched', stopped_at: 'rules', detail: found }
  const { rule, inputs } = found
  const [pack = '', template = ''] = rule.run.split('/')
  const folded = await ctx.alertFold.fire(ctx, {
    kept: keptAlert(ctx, alert, { pack, template, inputs }),
    fingerprint: alert.fingerprint,
    delivery_id: trigger.delivery_id,
    member,
    scope,
    at,
    remembered_s,
    admission: {
      pack,
      template,
      inputs,
      limits: rule.limits,
      ...ruleAuthors(rule),
      reason: Array.from(alert.title).slice(0, MAX_REASON_CHARS).join(''),
      ...(rule.environment !== undefined && { environment: rule.environment }),
      ...(rule.profile !== undefined && { profile: rule.profile }),
      trigger: { ...trigger, rule: rule.name, fingerprint_digest: `sha256:${ctx.sha256(alert.fingerprint)}` },
    },
  })
  if (folded.outcome === 'started') await recover(ctx, delivery, await endedSince(ctx, [spoken]))
  return { ...folded, rule: rule.name }
}

/** Returns what would happen to the alert now; changes nothing. */
export async function previewSignal(ctx: IntakeContext, ingress: Ingress, alert: NormalizedAlert): Promise<JsonObject> {
  const active = await ctx.alertFold.active(ctx.workspace_id, [alert.fingerprint])
  const runs = new Map(active.map(({ fingerprint, run_id }): [string, string | undefined] => [fingerprint, run_id]))
  const [ended] = await ctx.alertFold.ended(ctx.workspace_id, [alertIdentityOf(alert, ctx.sha256)])
  return previewAlert(alert, matchOrDetail(await rulesOf(ctx, ingress), alert, 'ingress'), runs, ended)
}

/** A deployment may put rules of its own before those of the pack. */
async function rulesOf(
  { environments, console_rules, workspace_id }: IntakeContext,
  ingress: Ingress,
): Promise<TriggerRule[]> {
  const authored = await console_rules.current(workspace_id)
  return orderRules([...authored, ...environments.rules(), ...ingress.rules]).filter((rule) => rule.on === 'ingress')
}
