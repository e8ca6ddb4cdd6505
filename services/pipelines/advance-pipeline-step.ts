import { DomainError } from '#core/errors.ts'
import { type JsonObject, pointerParts } from '#core/json/json.ts'
import { isPipelineEnd } from '#core/pipeline/transitions.ts'
import type { PipelineStep, RunStep } from '#core/pipeline/types.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { isoTime } from '#core/time/time.ts'
import type { PipelineStepView, PipelineView } from '#store/pipelines/pipeline-views.ts'
import { auditBy } from '../audit/read-audit.ts'
import { humanRoot, type ServiceContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { findTemplate } from '../packs/contracts.ts'
import { mustFit, splitInputs } from '../runs/configure-inputs.ts'
import { renderedWith } from './compose-inputs.ts'
import { getPipelineView } from './pipelines.ts'
import type { PipelinePorts } from './ports.ts'

export interface StepAdvance {
  pipeline_id: string
  step: string
  note?: string
  /** over the inputs that the step would give its run */
  inputs?: JsonObject
}

/**
 * Lets a waiting step begin (`gate: manual`). It never answers a gate of governance: those of its run are open to `approve` alone.
 * `needs_approval`: its run waits at such a gate; `conflict`: it is not waiting to be advanced.
 */
export const advancePipelineStep = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: ServiceContext & PipelinePorts, request: StepAdvance): Promise<void> => {
    const { view, step, record } = await stepOf(ctx, request.pipeline_id, request.step)
    if (ctx.attempt?.done !== undefined) return
    mustBeReady(view, record)
    if (step.kind !== 'run') throw new DomainError('conflict', `the step ${step.id} has no manual gate`)
    const inputs = request.inputs ?? {}
    if (Object.keys(inputs).length > 0) mustFitStep(ctx, view, step, inputs)
    const { id: by, display, type } = ctx.actor
    const at = isoTime(ctx.clock())
    const given = { ...(request.note !== undefined && { note: request.note }), inputs }
    const refused = await ctx.pipelines.store.advance({
      id: view.id,
      step_id: step.id,
      // a user who supplies inputs becomes a requester, and so do the people behind them
      advanced: { by, at, ...given, human_root: humanRoot(ctx) },
      events: [
        {
          key: `step/${step.id}/advanced`,
          type: 'step.advanced',
          step: step.id,
          actor: { type, id: by, display },
          data: given,
        },
      ],
      audit: [
        auditBy(ctx, {
          category: 'approval',
          action: 'pipeline.step_advanced',
          workspace_id: ctx.workspace_id,
          subject: { type: 'pipeline', id: view.id },
          data: { step: step.id, ...given },
        }),
      ],
    })
    if (refused === 'advanced')
      throw new DomainError('conflict', `another user has already advanced the step ${step.id}`)
    if (refused !== undefined) throw new DomainError('conflict', `the step ${step.id} is ${refused}`)
    ctx.notifyRun(view.id)
  },
)

/** Returns a step of a pipeline that the caller may see. Throws `not_found`. */
export async function stepOf(
  ctx: ServiceContext & PipelinePorts,
  pipelineId: string,
  stepId: string,
): Promise<{ view: PipelineView; step: PipelineStep; record: PipelineStepView }> {
  const view = await getPipelineView(ctx, pipelineId)
  const step = view.definition.steps.find(({ id }) => id === stepId)
  const record = view.steps.find(({ id }) => id === stepId)
  const known = view.definition.steps.map(({ id }) => id)
  if (step === undefined || record === undefined)
    throw new DomainError('not_found', `the pipeline has no step ${stepId}${didYouMean(stepId, known)}`)
  return { view, step, record }
}

function mustBeReady({ status }: PipelineView, { id, state }: PipelineStepView): void {
  if (isPipelineEnd(status)) throw new DomainError('conflict', `the pipeline is ${status}`)
  if (state === 'awaiting_approval')
    throw new DomainError(
      'needs_approval',
      `the run of the step ${id} is waiting for an approval, which advancing does not give`,
    )
  if (state !== 'ready')
    throw new DomainError('conflict', `the step ${id} is ${state}: it is not waiting to be advanced`)
}

/** Inputs of an advance are recorded unchanged: a template that needs a secret has a connection for it. */
function refuseSecrets(schema: JsonObject, inputs: JsonObject): void {
  const errors = Object.keys(splitInputs(schema, inputs).secrets).map((pointer) => ({
    pointer: `/inputs${pointer}`,
    loc: ['inputs', ...pointerParts(pointer)],
    msg: 'is secret, but a pipeline stores its inputs: let the template use a connection',
    type: 'secret_input',
  }))
  if (errors.length > 0)
    throw new DomainError('validation_failed', 'a step cannot be advanced with secrets', { errors })
}

/** Checked with the inputs that the step would give; of a list, with those of its first entry. */
function mustFitStep(ctx: ServiceContext, view: PipelineView, step: RunStep, inputs: JsonObject): void {
  const template = findTemplate(ctx, step.uses.pack, step.uses.template)
  refuseSecrets(template.inputs_schema, inputs)
  mustFit(template.inputs_schema, { ...renderedWith(view, step), ...inputs })
}
