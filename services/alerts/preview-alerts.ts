import type { JsonObject } from '#core/json/json.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import { alertIdentityOf } from '#core/trigger/alert-identity.ts'
import { normalizeAlerts } from '#core/trigger/normalize-alert.ts'
import type { ServiceContext } from '../context.ts'
import type { AlertPorts } from './alert-fold.ts'
import { endedBefore } from './fold-batch.ts'
import { type Found, matchAlerts, rulesInOrder } from './match-alerts.ts'

/**
 * Returns what would happen to each alert now, by the rules and the active runs; changes nothing. Policies and freezes are checked when a
 * run is admitted and not here. Throws `unrecognised_alert`.
 */
export async function previewAlerts(
  ctx: ServiceContext & AlertPorts,
  input: { body: unknown; source?: string },
): Promise<JsonObject[]> {
  const { alerts, suppressed = [] } = normalizeAlerts(input.body, input.source, ctx.sha256)
  const asked = alerts.map((alert) => ({ alert }))
  const found = await matchAlerts(
    await rulesInOrder(ctx),
    asked.filter(({ alert }) => alert.status === 'firing'),
  )
  const active = await ctx.alertFold.active(ctx.workspace_id, [...new Set(alerts.map((each) => each.fingerprint))])
  const runs = new Map<string, string | undefined>(active.map(({ fingerprint, run_id }) => [fingerprint, run_id]))
  const ended = await ctx.alertFold.ended(
    ctx.workspace_id,
    alerts.map((alert) => alertIdentityOf(alert, ctx.sha256)),
  )
  const ignored = suppressed.map(({ fingerprint, detail }) => ({ fingerprint, outcome: 'suppressed', detail }))
  return [...asked.map((each, index) => previewAlert(each.alert, found.get(each), runs, ended[index])), ...ignored]
}

/** Notes in `runs` the fingerprints that would have a run now. */
export function previewAlert(
  alert: NormalizedAlert,
  found: Found,
  runs: Map<string, string | undefined>,
  ended_at: string | undefined,
): JsonObject {
  const { fingerprint } = alert
  const run_id = runs.get(fingerprint)
  const run = run_id === undefined ? {} : { run_id }
  if (alert.status === 'resolved') {
    return { fingerprint, outcome: runs.has(fingerprint) ? 'resolved' : 'unmatched', ...run }
  }
  if (found === undefined) return { fingerprint, outcome: 'unmatched' }
  if (typeof found === 'string') return { fingerprint, outcome: 'unmatched', detail: found }
  if (ended_at !== undefined)
    return { fingerprint, outcome: 'suppressed', detail: endedBefore(ended_at), rule: found.rule.name }
  const outcome = runs.has(fingerprint) ? 'attached' : 'started'
  runs.set(fingerprint, run_id)
  return { fingerprint, outcome, rule: found.rule.name, template: found.rule.run, ...run }
}
