import { DomainError } from '#core/errors.ts'
import { shapedBefore } from '#core/gate/contributors.ts'
import { runIdOfDelivery } from '#core/inbox/item.ts'
import { pointerParts } from '#core/json/json.ts'
import { isTerminal } from '#core/run/status.ts'
import { markedPlaces } from '#core/secret/secret-mark.ts'
import type { LoadedTemplate } from '#platform/packs/pack-registry.ts'
import type { RunDetail, RunViews } from '#store/runs/run-views.ts'
import type { StartContext } from '../context.ts'
import { startOfRefusal } from '../halts/refused-start.ts'
import type { Admission } from './admission.ts'
import { splitInputs } from './configure-inputs.ts'

export type RepeatContext = StartContext & { views: Pick<RunViews, 'find'> }

/** A request to repeat an ended run. */
export interface RepeatRequest {
  run_id: string
  reason?: string
  template_digest?: string
  /** what a halt has refused, if that is what is repeated */
  refusal?: string
}

export interface EndedRun {
  run: RunDetail
  /** as it is installed now */
  template: LoadedTemplate
}

/**
 * Returns an ended run whose inputs are all on record. Throws `conflict` for a run under way, `plan_changed` if its template is not installed,
 * and `validation_failed` with every input that is secret: no record keeps it.
 */
export async function findEnded(ctx: RepeatContext, runId: string): Promise<EndedRun> {
  const run = await ctx.views.find(ctx.workspace_id, runId)
  if (run === undefined) throw new DomainError('not_found', `no run ${runId}`)
  if (!isTerminal(run.status))
    throw new DomainError('conflict', `the run is ${run.status}: it can be repeated once it has ended`, {
      run_id: run.id,
    })
  const name = `${run.pack}/${run.template}`
  const template = ctx.packs.findTemplate(run.pack, run.template)
  if (template === undefined) throw new DomainError('plan_changed', `the template ${name} is not installed any more`)
  const places = markedPlaces(run.inputs)
  const secret = new Set([...Object.keys(splitInputs(template.inputs_schema, run.inputs).secrets), ...places])
  if (secret.size === 0) return { run, template }
  const names = [...secret].map((pointer) => pointerParts(pointer).join('.')).join(', ')
  const message = `no record keeps the secret inputs of a run: start ${name} and give ${names}`
  throw new DomainError('validation_failed', message, {
    errors: [...secret].map((pointer) => ({
      pointer: `/inputs${pointer}`,
      loc: ['inputs', ...pointerParts(pointer)],
      msg: 'is secret, so that it has to be given again',
      type: 'hidden_secret',
    })),
  })
}

/** The start that repeats a run. Its requester is the caller; everyone who shaped the run before contributes to it. */
export async function repeatOf(
  ctx: RepeatContext,
  run: RunDetail,
  { type, refusal, ...asked }: Pick<RepeatRequest, 'reason' | 'refusal'> & { type: 'again' | 'retry' },
): Promise<Admission> {
  const reason = asked.reason ?? run.reason
  const { shaped_by = [], ...once } = await startOfRefusal(ctx, refusal, run)
  return {
    pack: run.pack,
    template: run.template,
    inputs: run.inputs,
    environment: run.environment,
    profile: run.profile,
    sandbox: run.sandbox,
    dry_run: run.dry_run,
    labels: run.labels,
    // what it is about, and how severe that is
    ...(run.trigger !== null && { alert: run.trigger.alert }),
    trigger: { type, parent_run_id: run.id, ...(refusal !== undefined && { refusal }) },
    shaped_by: [...shapedBefore(run.id, run.provenance), ...shaped_by],
    // a step of a pipeline that asked for an approval asks again
    ...(run.plan_digest !== run.template_digest && { gate: 'approval' as const }),
    ...(reason !== null && { reason }),
    ...(ctx.attempt !== undefined && { run_id: runIdOfDelivery(ctx.attempt.id) }),
    ...once,
  }
}
