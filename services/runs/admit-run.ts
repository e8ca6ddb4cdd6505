import { DomainError } from '#core/errors.ts'
import { staysLocal } from '#core/plan/estimate-plan.ts'
import { inLockOrder } from '#core/trigger/fingerprint.ts'
import type { Admitted, Throttled } from '#store/runs/run-answers.ts'
import type { RunDraft } from '#store/runs/run-drafts.ts'
import type { Later, StartContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import type { Admission } from './admission.ts'
import { admitDrafts } from './admit-drafts.ts'
import { attachRefused } from './attach-refused.ts'
import { draftRun } from './draft-run.ts'
import type { Refused } from './refuse-start.ts'

export type AdmissionOutcome = { kind: 'admitted'; admitted: Admitted } | { kind: 'refused'; error: DomainError }

/**
 * Starts a run; the only way to do so. Refused admissions throw (`rate_limited` by their limits); a duplicate of an active fingerprint
 * attaches to its run.
 */
export async function admitRun(ctx: StartContext, admission: Admission): Promise<Admitted> {
  const before = admission.run_id && (await ctx.runs.findDecidable(ctx.workspace_id, admission.run_id))
  if (before) return { run_id: before.run_id, started: true, status: before.status, attached_count: 0 }
  const [outcome] = await admitRuns(ctx, [admission])
  if (outcome === undefined) throw new DomainError('internal', 'the admission had no outcome')
  if (outcome.kind === 'refused') throw outcome.error
  return outcome.admitted
}

/** Starts a named template for a user. Triggers admit their runs themselves. */
export const runTemplate = defineVerb({ role: 'operator', access: 'write', scope: 'workspace' }, admitRun)

/**
 * Admits many runs in one transaction; the outcomes are in the order of the admissions. A run that a policy, a freeze or a halt refuses
 * still attaches to the active run of its fingerprint. `later` sends the starts to the engine, paced where there are many.
 */
export async function admitRuns(
  ctx: StartContext,
  admissions: Admission[],
  later: Later = ctx.later,
): Promise<AdmissionOutcome[]> {
  const drafted = await Promise.all(admissions.map((admission) => draftOrRefuse(ctx, admission)))
  const attached = await attachRefused(
    ctx,
    drafted.map((each, index) => ({ refused: isRefused(each) ? each : undefined, admission: admissions[index] })),
  )
  const drafts = inLockOrder(
    drafted.filter((each): each is RunDraft => !isRefused(each)),
    ({ fingerprint, id }) => fingerprint ?? id,
  )
  const admitted = await admitDrafts(ctx, drafts)
  const byDraft = new Map(drafts.map((draft, index) => [draft, admitted[index]]))
  startAll(ctx, drafts, admitted, later)
  const outcomes = drafted.map((each, index): AdmissionOutcome => {
    const answer = isRefused(each) ? (attached[index] ?? each) : byDraft.get(each)
    return outcomeOf(ctx, answer)
  })
  outcomes.forEach((outcome, index) => {
    ctx.onAdmission?.(nameOf(outcome), admissions[index]?.trigger.type ?? 'unknown')
  })
  return outcomes
}

function nameOf(outcome: AdmissionOutcome): string {
  if (outcome.kind === 'refused') return outcome.error.code
  return outcome.admitted.started ? 'started' : 'attached'
}

function outcomeOf(ctx: StartContext, result: Admitted | Throttled | Refused | undefined): AdmissionOutcome {
  if (result === undefined) return { kind: 'refused', error: new DomainError('internal', 'the run was not admitted') }
  if (isRefused(result)) return { kind: 'refused', error: result.error }
  if (!('throttled_until' in result)) return { kind: 'admitted', admitted: result }
  const until = result.throttled_until
  const retry_after_s = Math.max(1, Math.ceil((Date.parse(until) - ctx.clock()) / 1_000))
  const message = `the limits of its rule allow the next run at ${until}`
  return { kind: 'refused', error: new DomainError('rate_limited', message, { retry_after_s, until }) }
}

function isRefused(each: RunDraft | Admitted | Throttled | Refused): each is Refused {
  return 'error' in each
}

/** The engine is notified after the commit; the sweep over the outbox starts the runs whose notification was lost. */
function startAll(
  ctx: StartContext,
  drafts: RunDraft[],
  admitted: (Admitted | Throttled | Refused | undefined)[],
  later: Later,
): void {
  drafts.forEach((draft, index) => {
    const result = admitted[index]
    if (result === undefined || 'throttled_until' in result || isRefused(result)) return
    ctx.notifyRun(result.run_id)
    if (!result.started) return
    const { id: run_id, workspace_id, lane, plan, pack, environment } = draft
    const near = !draft.dry_run && staysLocal(plan.steps)
    const template = `${pack}/${draft.template}`
    const start = { run_id, workspace_id, lane, title: plan.title, template, environment, near }
    later(() => ctx.engine.start(start), run_id)
  })
}

async function draftOrRefuse(ctx: StartContext, admission: Admission): Promise<RunDraft | Refused> {
  try {
    return await draftRun(ctx, admission)
  } catch (error) {
    if (error instanceof DomainError) return { error }
    throw error
  }
}
