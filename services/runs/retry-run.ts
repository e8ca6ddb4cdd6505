import { DomainError } from '#core/errors.ts'
import { canonicalText } from '#core/json/canonical.ts'
import { textOf } from '#core/json/json.ts'
import { type TakenOver, takenOverFrom } from '#core/run/repeat.ts'
import { cutText } from '#core/text/text.ts'
import type { AuditViews } from '#store/audit/audit-views.ts'
import type { Admitted } from '#store/runs/run-answers.ts'
import type { RunDetail } from '#store/runs/run-views.ts'
import type { StepRow, StepViews } from '#store/runs/step-views.ts'
import { readAudit } from '../audit/read-audit.ts'
import { defineVerb } from '../define-verb.ts'
import { admitRun } from './admit-run.ts'
import { findEnded, type RepeatContext, type RepeatRequest, repeatOf } from './repeat-run.ts'

type RetryContext = RepeatContext & { steps: Pick<StepViews, 'list'>; audits: AuditViews }

/** of a failure, in the provenance of its retry */
const MESSAGE_CHARS = 500

/** A run has fewer records than this of its steps. */
const MAX_RECORDS = 5_000

/**
 * Starts a failed run from the step that failed. Earlier steps are taken over with their recorded outputs, which have to be those in the audit
 * record; everything after them is judged and paid for again.
 */
export const retryRun = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: RetryContext, { run_id, template_digest, ...asked }: RepeatRequest): Promise<Admitted> => {
    const { run, template } = await findEnded(ctx, run_id)
    refuseOthers(run)
    if (template.plan.digest !== run.template_digest) {
      const message =
        'the template has changed since the run: its steps may not go on from what the old ones did; start the run again'
      throw new DomainError('plan_changed', message, { template_digest: template.plan.digest })
    }
    const { settled, failed } = settledSteps(run, (await ctx.steps.list(ctx.workspace_id, run.id)) ?? [])
    return await admitRun(ctx, {
      ...(await repeatOf(ctx, run, { type: 'retry', ...asked })),
      template_digest: template_digest ?? run.template_digest,
      repeat: { retry_of: run.id, failed, taken_over: await takeOver(ctx, run, settled) },
    })
  },
)

function refuseOthers({ id, status, dry_run, provenance }: RunDetail): void {
  if (status !== 'failed') throw refused(`the run is ${status}: only a failed run is retried; start it again`, id)
  if (dry_run) throw refused('the run is a dry run, which acts on nothing: start it again', id)
  const { pipeline_id, pipeline_step } = provenance
  if (pipeline_id === undefined) return
  const message = `the run is of step ${textOf(pipeline_step)} of pipeline ${textOf(pipeline_id)}, which has ended or gone on without it, and pipelines have no retry: start the pipeline again`
  throw refused(message, id)
}

/** Returns the steps before the one that failed, and why that one failed. It throws where it is not known how one of them, or the failed one, ended. */
function settledSteps(
  run: RunDetail,
  steps: StepRow[],
): { settled: StepRow[]; failed: { step: string; message: string } } {
  const at = steps.findIndex(({ state }) => state !== 'succeeded' && state !== 'skipped')
  const failed = steps[at]
  if (failed === undefined)
    throw refused('no step of the run failed, so there is none to retry: start it again', run.id)
  const { id, state, error } = failed
  // a step that failed with its worker has no error of its own
  if (state !== 'failed' || error === null || error['code'] === 'process_ended') {
    const message = `it is not known how step ${id} ended: look at its target, and start the run again if that is right`
    throw refused(message, run.id)
  }
  const message = cutText(textOf(error['message']), MESSAGE_CHARS)
  return { settled: steps.slice(0, at), failed: { step: failed.name ?? id, message } }
}

/** Says of each step whose outputs they are. It throws unless they are those that the audit record of their attempt has. */
async function takeOver(ctx: RetryContext, run: RunDetail, steps: StepRow[]): Promise<Record<string, TakenOver>> {
  const sources = steps.map((step) => {
    const before = takenOverFrom(run.provenance, step.id)
    return { step, run_id: before?.run_id ?? run.id, attempt: before?.attempt ?? step.attempt ?? 0 }
  })
  const hashes = await recordedHashes(ctx, new Set(sources.map(({ run_id }) => run_id)))
  const all = sources.map(({ step, run_id, attempt }): [string, TakenOver] => {
    if (step.state === 'skipped') return [step.id, { run_id, attempt }]
    const outputs_hash = hashes.get(`${run_id}:${step.id} ${attempt}`)
    if (outputs_hash === undefined)
      throw new DomainError('audit_unavailable', `the audit chain has no record of step ${step.id} yet`, {
        retry_after_s: 1,
      })
    if (outputs_hash !== `sha256:${ctx.sha256(canonicalText(step.outputs ?? {}))}`)
      throw refused(`the outputs of step ${step.id} are not those in its audit record: start the run again`, run.id)
    return [step.id, { run_id, attempt, outputs_hash }]
  })
  return Object.fromEntries(all)
}

/** The digests of what steps have brought, by step and attempt. */
async function recordedHashes(ctx: RetryContext, runIds: ReadonlySet<string>): Promise<Map<string, string>> {
  const pages = await Promise.all(
    [...runIds].map((run_id) => readAudit(ctx, { run_id, category: 'lineage' }, { limit: MAX_RECORDS })),
  )
  return new Map(
    pages.flat().flatMap(({ event: { action, subject, data } }) => {
      const isBrought = action === 'step.settled' && data['state'] === 'succeeded'
      return isBrought ? [[`${subject.id} ${Number(data['attempt'])}`, textOf(data['outputs_hash'])] as const] : []
    }),
  )
}

function refused(message: string, run_id: string): DomainError {
  return new DomainError('conflict', message, { run_id })
}
