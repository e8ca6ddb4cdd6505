import type { LegOutcome } from '#core/contract.ts'
import type { JsonObject } from '#core/json.ts'
import { usdFromMicro } from '#core/money.ts'
import { objectOf } from '#core/record-data.ts'
import { dryRunReport, wouldEndAt } from '#core/run/dry-run-report.ts'
import type { StepDeps } from '../deps.ts'
import { foretoldSteps } from '../step/predicted-steps.ts'
import { draftAudit } from '../step/records.ts'
import { letGo, type RunSession, stoppedBy, type WriteDeps, writePatch } from './run-session.ts'

/** Ends a dry run with its report: succeeded, or failed where the run itself surely would. */
export async function endDryRun(deps: StepDeps, session: RunSession): Promise<LegOutcome> {
  const outputs = dryRunOutputs(session)
  const end = wouldEndAt(foretoldSteps(session))
  const status = end === undefined ? 'succeeded' : 'failed'
  const error = end?.error && { ...end.error, retryable: false, step: end.id }
  const recorded = await writePatch(deps, session, {
    run: { status, outputs, ...(error && { status_reason: error.code, error }) },
    events: [{ key: `run/${status}`, type: `run.${status}`, data: { dry_run: true, ...error, outputs } }],
    audit: [
      draftAudit(deps, session.head, {
        category: 'lineage',
        action: `run.${status}`,
        data: { ...(error ? { code: error.code, step: error.step } : { template: session.plan.digest }) },
      }),
    ],
  })
  if ('refused' in recorded) return stoppedBy(recorded)
  deps.fault('after_close')
  return { kind: 'closed', status }
}

/** What a dry run has found up to here. Outputs of the template would be made of what did not happen. */
export function dryRunOutputs(session: RunSession): JsonObject {
  const { cap_micro_usd, spent_micro_usd } = session.head
  const report = dryRunReport(foretoldSteps(session), usdFromMicro(cap_micro_usd), usdFromMicro(spent_micro_usd))
  return { dry_run: objectOf(report) }
}

/** Ends an execution between two steps; the next one goes on from here. */
export async function yieldLeg(deps: WriteDeps, session: RunSession): Promise<LegOutcome> {
  const refused = await letGo(deps, session)
  return refused === undefined ? { kind: 'yielded' } : stoppedBy(refused)
}
