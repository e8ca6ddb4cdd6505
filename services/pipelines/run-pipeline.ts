import { DomainError } from '#core/errors.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import type { PipelineDraft } from '#store/pipelines/pipelines.ts'
import type { StartContext } from '../context.ts'
import { defineVerb } from '../define-verb.ts'
import { refuseHalted } from '../runs/refuse-start.ts'
import { draftPipeline } from './draft-pipeline.ts'
import type { PipelinePorts, RequestedPipeline } from './ports.ts'

/**
 * Records a pipeline and has the engine start it. If this throws, nothing was started: `validation_failed` with all faults of the bundle or
 * the inputs, `plan_changed` if the bundle has another digest, `halted`, `not_configured` if the deployment stores no events.
 */
export const runPipeline = defineVerb(
  { role: 'operator', access: 'write', scope: 'workspace' },
  async (ctx: StartContext & PipelinePorts, request: RequestedPipeline): Promise<{ pipeline_id: string }> => {
    const { store, views, bundles, workflows, keeps_events } = ctx.pipelines
    const before = request.pipeline_id && (await views.find(ctx.workspace_id, request.pipeline_id))
    if (before) return { pipeline_id: before.id }
    const found = bundles.find(request.bundle_path, request.pipeline_name)
    const { digest: bundle_digest } = found.bundle
    if (request.bundle_digest !== undefined && request.bundle_digest !== bundle_digest)
      throw new DomainError('plan_changed', 'the bundle has changed since it was shown', { bundle_digest })
    if (!keeps_events) refuseEvents(found.definition)
    const draft = await draftPipeline(ctx, request, found)
    await mustNotBeHalted(ctx, draft)
    await store.start(draft)
    const { id: pipeline_id, workspace_id, name, environment } = draft
    ctx.notifyRun(pipeline_id)
    ctx.later(() => workflows.begin({ pipeline_id, workspace_id, name, environment }))
    return { pipeline_id }
  },
)

async function mustNotBeHalted(
  ctx: StartContext,
  { environment, provenance }: Pick<PipelineDraft, 'environment' | 'provenance'>,
): Promise<void> {
  // a halt of a template holds its runs back, and no template has this name
  const subject = { pack: '', template: '', environment, provenance }
  const halted = refuseHalted(ctx, subject, await ctx.halts.inForce())
  if (halted !== undefined) throw halted.error
}

function refuseEvents({ steps }: PipelineDefinition): void {
  const waiting = steps.filter(({ kind }) => kind === 'event').map(({ id }) => id)
  if (waiting.length === 0) return
  const which = waiting.length === 1 ? `the step ${waiting[0]} waits` : `the steps ${waiting.join(', ')} wait`
  throw new DomainError(
    'not_configured',
    `${which} for an event, but the bus of this deployment keeps none: set SVC_BUS=postgres`,
  )
}
