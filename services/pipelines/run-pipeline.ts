import { runCapUsd } from '#core/budget/run-cap.ts'
import { canonicalText } from '#core/canonical-text.ts'
import { DomainError } from '#core/errors.ts'
import { askedBy } from '#core/gate/requester.ts'
import type { JsonObject } from '#core/json.ts'
import { capFromUsd, usdText } from '#core/money.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import { isoTime } from '#core/time.ts'
import { auditBy } from '../audit/audit-by.ts'
import type { StartContext } from '../context.ts'
import { choosePlace } from '../runs/choose-place.ts'
import { humanRoot } from '../runs/human-root.ts'
import { mustFit } from '../runs/must-fit.ts'
import { refuseHalted } from '../runs/refuse-halted.ts'
import type { PipelinePorts } from './ports.ts'
import { startLayers } from './start-layers.ts'

export interface PipelineWish {
  bundle_path: string
  /** may be left out where the bundle has one pipeline */
  pipeline_name?: string
  inputs: JsonObject
  environment?: string
  profile?: string
  reason?: string
  /** when given, the pipeline starts only if the bundle is the one that was shown */
  bundle_digest?: string
  /** of one that must not start twice, whoever repeats the wish */
  pipeline_id?: string
}

/**
 * Puts a pipeline on record and tells the engine of it. Nothing has started when it throws: `validation_failed` with all that is wrong with
 * the bundle or the inputs, `plan_changed` for another bundle than was shown, `halted`, `not_configured` where no events are kept.
 */
export async function runPipeline(
  ctx: StartContext & PipelinePorts,
  wish: PipelineWish,
): Promise<{ pipeline_id: string }> {
  const { store, views, bundles, workflows, keeps_events } = ctx.pipelines
  const before = wish.pipeline_id && (await views.find(ctx.workspace_id, wish.pipeline_id))
  if (before) return { pipeline_id: before.id }
  const { definition, bundle } = bundles.find(wish.bundle_path, wish.pipeline_name)
  if (wish.bundle_digest !== undefined && wish.bundle_digest !== bundle.digest)
    throw new DomainError('plan_changed', 'the bundle has changed since it was shown', { bundle_digest: bundle.digest })
  if (!keeps_events) refuseEvents(definition)
  const inputs = mustFit(definition.inputs_schema, wish.inputs, 'pipeline')
  const { environment, profile } = choosePlace(ctx, wish)
  const id = wish.pipeline_id ?? ctx.ids.next('pipeline')
  const provenance: JsonObject = {
    trigger: { type: 'direct', received_at: isoTime(ctx.clock()) },
    actor: { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display },
    human_root: humanRoot(ctx),
    bundle: { path: bundle.path, digest: bundle.digest },
    layers: startLayers(ctx, wish, { definition, environment, profile }),
    engine: { workflow_id: id },
  }
  // a halt of a template holds its runs back, and no template has this name
  const subject = { pack: '', template: '', environment: environment.name, provenance }
  const halted = refuseHalted(ctx, subject, await ctx.halts.inForce())
  if (halted !== undefined) throw halted.error
  const cap_micro_usd = definition.cap_micro_usd ?? capFromUsd(runCapUsd(environment, profile))
  const inputs_hash = `sha256:${ctx.sha256(canonicalText(inputs))}`
  const definition_digest = store.digestOf(definition)
  const audit = auditBy(ctx, {
    category: 'trigger',
    action: 'pipeline.admitted',
    workspace_id: ctx.workspace_id,
    subject: { type: 'pipeline', id },
    data: {
      name: definition.name,
      bundle: { ...bundle },
      definition_digest,
      inputs_hash,
      environment: environment.name,
      profile: profile.name,
      cap_usd: usdText(cap_micro_usd),
      ...askedBy(provenance),
    },
  })
  await store.start({
    id,
    workspace_id: ctx.workspace_id,
    name: definition.name,
    bundle_path: bundle.path,
    bundle_digest: bundle.digest,
    definition,
    definition_digest,
    environment: environment.name,
    environment_class: environment.class,
    profile: profile.name,
    inputs,
    inputs_hash,
    reason: wish.reason ?? null,
    provenance,
    cap_micro_usd,
    events: [
      {
        key: 'pipeline/queued',
        type: 'pipeline.queued',
        actor: { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display },
        data: { name: definition.name, bundle: bundle.path },
      },
    ],
    audit: [audit],
  })
  const start = {
    pipeline_id: id,
    workspace_id: ctx.workspace_id,
    name: definition.name,
    environment: environment.name,
  }
  ctx.ring(id)
  ctx.later(() => workflows.begin(start))
  return { pipeline_id: id }
}

function refuseEvents({ steps }: PipelineDefinition): void {
  const waiting = steps.filter(({ kind }) => kind === 'event').map(({ id }) => id)
  if (waiting.length === 0) return
  const which = waiting.length === 1 ? `the step ${waiting[0]} waits` : `the steps ${waiting.join(', ')} wait`
  throw new DomainError(
    'not_configured',
    `${which} for an event, and the bus of this deployment keeps none: set SVC_BUS=postgres`,
  )
}
