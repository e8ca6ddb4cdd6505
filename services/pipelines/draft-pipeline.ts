import { runCapUsd } from '#core/environment/environment.ts'
import { contributorsAsJson } from '#core/gate/contributors.ts'
import { askedBy } from '#core/gate/requester.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { capFromUsd, usdText } from '#core/money.ts'
import { isoTime } from '#core/time/time.ts'
import type { FoundPipeline } from '#platform/pipelines/pipeline-source.ts'
import type { PipelineDraft } from '#store/pipelines/pipelines.ts'
import { auditBy } from '../audit/read-audit.ts'
import { humanRoot, type StartContext } from '../context.ts'
import { chooseEnvironment } from '../runs/choose-environment.ts'
import { mustFit } from '../runs/configure-inputs.ts'
import { contributorsOfStart } from '../runs/draft-run.ts'
import type { PipelinePorts, RequestedPipeline } from './ports.ts'
import { startLayers } from './start-layers.ts'

/** Prepares a pipeline before anything is written. Throws `validation_failed` for invalid inputs. */
export async function draftPipeline(
  ctx: StartContext & PipelinePorts,
  request: RequestedPipeline,
  { definition, bundle }: FoundPipeline,
): Promise<PipelineDraft> {
  const inputs = mustFit(definition.inputs_schema, request.inputs, 'pipeline')
  const { environment, profile } = chooseEnvironment(ctx, request)
  const id = request.pipeline_id ?? ctx.ids.next('pipeline')
  const actor = { type: ctx.actor.type, id: ctx.actor.id, display: ctx.actor.display }
  const asked_by: JsonObject = { actor, human_root: humanRoot(ctx) }
  const draft = {
    id,
    workspace_id: ctx.workspace_id,
    name: definition.name,
    bundle_path: bundle.path,
    bundle_digest: bundle.digest,
    definition,
    definition_digest: ctx.pipelines.store.digestOf(definition),
    environment: environment.name,
    environment_class: environment.class,
    profile: profile.name,
    inputs,
    inputs_hash: `sha256:${ctx.sha256(canonicalText(inputs))}`,
    reason: request.reason ?? null,
    provenance: {
      trigger: { type: 'direct', received_at: isoTime(ctx.clock()) },
      ...asked_by,
      contributors: contributorsAsJson(await contributorsOfStart(ctx, {}, asked_by)),
      bundle: { ...bundle },
      layers: startLayers(ctx, request, { definition, environment, profile }),
      engine: { workflow_id: id },
    } satisfies JsonObject,
    cap_micro_usd: definition.cap_micro_usd ?? capFromUsd(runCapUsd(environment, profile)),
  }
  const data = { name: draft.name, bundle: bundle.path }
  return {
    ...draft,
    events: [{ key: 'pipeline/queued', type: 'pipeline.queued', actor, data }],
    audit: [
      auditBy(ctx, {
        category: 'trigger',
        action: 'pipeline.admitted',
        workspace_id: ctx.workspace_id,
        subject: { type: 'pipeline', id },
        data: {
          name: draft.name,
          bundle: { ...bundle },
          definition_digest: draft.definition_digest,
          inputs_hash: draft.inputs_hash,
          environment: draft.environment,
          profile: draft.profile,
          cap_usd: usdText(draft.cap_micro_usd),
          ...askedBy(draft.provenance),
        },
      }),
    ],
  }
}
