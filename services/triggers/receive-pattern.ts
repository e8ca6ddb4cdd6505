import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { alertIdentityOf } from '#core/trigger/alert-identity.ts'
import { ruleAuthors } from '#core/trigger/console-schema.ts'
import { fingerprintOf } from '#core/trigger/fingerprint.ts'
import { isStartRefusal, START_REFUSALS } from '#core/trigger/outcome.ts'
import type { PatternSignal } from '#core/trigger/start-schema.ts'
import type { AlertPorts } from '../alerts/alert-fold.ts'
import type { FiringAlert, FoldOutcome } from '../alerts/firing-alerts.ts'
import { attachedAlerts, keptAlert } from '../alerts/kept-alert.ts'
import { matchOrDetail, rulesInOrder } from '../alerts/match-alerts.ts'
import type { StartContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { admitRun } from '../runs/admit-run.ts'

const SOURCE = 'pattern'

export type PatternResult = { fingerprint: string; rule?: string } & (FoldOutcome | { outcome: 'unmatched' })

/**
 * Handles a pattern that another system recognised: starts the named template, else that of the first matching rule with `on: pattern`.
 * While that run is active, the same signal attaches to it. An unknown template, or invalid inputs, refuse the request; any other obstacle
 * is its outcome.
 */
export const receivePattern = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: StartContext & AlertPorts, signal: PatternSignal, delivery_id: string): Promise<PatternResult> => {
    const alert = asAlert(ctx, signal)
    const { fingerprint } = alert
    const { member } = alertIdentityOf(alert, ctx.sha256)
    const admission = (run: Pick<FiringAlert['admission'], 'pack' | 'template' | 'inputs'>, rule?: string) => ({
      ...run,
      reason: `${signal.pattern} on ${signal.service}`,
      trigger: {
        type: 'pattern',
        ...provenanceOf(ctx, signal, alert, delivery_id),
        ...(rule !== undefined && { rule }),
      },
    })
    const { pack, template } = signal
    if (pack !== undefined && template !== undefined) {
      const asked = { ...admission({ pack, template, inputs: signal.inputs }), fingerprint }
      const kept = keptAlert(ctx, alert, { pack, template, inputs: signal.inputs })
      const alerts = attachedAlerts([{ delivery_id, member, kept }])
      return { fingerprint, ...(await startNamed(ctx, { ...asked, alert: kept.started_by(), alerts })) }
    }
    const rules = await rulesInOrder(ctx)
    const found = matchOrDetail(rules, alert, 'pattern')
    if (found === undefined) return { fingerprint, outcome: 'unmatched' }
    if (typeof found === 'string') return { fingerprint, outcome: 'unmatched', detail: found }
    const { rule, inputs } = found
    const [ofPack = '', name = ''] = rule.run.split('/')
    const chosen = {
      // inputs that the rule maps override the sender's
      ...admission({ pack: ofPack, template: name, inputs: { ...signal.inputs, ...inputs } }, rule.name),
      limits: rule.limits,
      ...ruleAuthors(rule),
      ...(rule.environment !== undefined && { environment: rule.environment }),
      ...(rule.profile !== undefined && { profile: rule.profile }),
    }
    const kept = keptAlert(ctx, alert, chosen)
    const folded = await ctx.alertFold.fire(ctx, { fingerprint, admission: chosen, delivery_id, member, kept })
    return { fingerprint, ...folded, rule: rule.name }
  },
)

/** Returns a pattern in the form of an alert for rules; its name and its confidence are labels. */
function asAlert(ctx: StartContext, signal: PatternSignal): NormalizedAlert {
  const { pattern, service, symptom = pattern, confidence } = signal
  return {
    source: SOURCE,
    service,
    symptom,
    status: 'firing',
    severity: 'medium',
    fingerprint: fingerprintOf({ source: SOURCE, service, symptom }, ctx.sha256),
    title: pattern,
    labels: { pattern, ...(confidence !== undefined && { confidence: String(confidence) }) },
    annotations: {},
    links: [],
    raw_digest: `sha256:${ctx.sha256(canonicalText(signal))}`,
  }
}

function provenanceOf(
  ctx: StartContext,
  { pattern, service, symptom, confidence, evidence }: PatternSignal,
  alert: NormalizedAlert,
  delivery_id: string,
): JsonObject {
  return {
    delivery_id,
    source: SOURCE,
    pattern,
    service,
    ...(symptom !== undefined && { symptom }),
    ...(confidence !== undefined && { confidence }),
    evidence: evidence.map(({ title, ref, digest }) => ({ title, ref, ...(digest !== undefined && { digest }) })),
    fingerprint_digest: `sha256:${ctx.sha256(alert.fingerprint)}`,
  }
}

async function startNamed(ctx: StartContext, admission: Parameters<typeof admitRun>[1]): Promise<FoldOutcome> {
  try {
    const { run_id, started, attached_count } = await admitRun(ctx, admission)
    return { outcome: started ? 'started' : 'attached', run_id, attached_count }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    if (isStartRefusal(error.code)) return { outcome: START_REFUSALS[error.code], detail: error.message }
    throw error
  }
}
