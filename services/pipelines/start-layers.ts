import { type Environment, type Profile, runCapUsd } from '#core/environment/environment.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { PipelineConfig } from '#core/pipeline/config-schema.ts'
import type { StartFact } from '#core/pipeline/snapshot.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import type { ServiceContext } from '../context.ts'
import type { RequestedPipeline } from './ports.ts'

const RETRY_MS = 15_000

/** A start that cannot happen now and is tried again within the time of its step; `reason` is shown until then. */
export function startLater(now_ms: number, reason: string): StartFact {
  return { kind: 'later', at_ms: now_ms + RETRY_MS, reason }
}

type Layer = PipelineConfig['inputs'][number]['layer']

interface Chosen {
  definition: PipelineDefinition
  environment: Environment
  profile: Profile
}

/** Returns the layers of a pipeline's values, as `chooseEnvironment` resolved them; stored, because files change. */
export function startLayers(
  ctx: Pick<ServiceContext, 'default_environment'>,
  request: RequestedPipeline,
  chosen: Chosen,
): JsonObject {
  return {
    name: (request.pipeline_name === undefined ? 'bundle' : 'request') satisfies Layer,
    environment: environmentLayer(ctx, request, chosen),
    profile: profileLayer(request, chosen),
    cap_usd: capLayer(chosen),
    // an unlisted input is a default of the bundle
    inputs: Object.keys(request.inputs),
  }
}

function environmentLayer(
  { default_environment }: Pick<ServiceContext, 'default_environment'>,
  request: RequestedPipeline,
  { profile }: Chosen,
): Layer {
  if (request.environment !== undefined) return 'request'
  if (request.profile !== undefined && profile.environment !== undefined) return 'profile'
  return default_environment === undefined ? 'default' : 'workspace'
}

function profileLayer(request: RequestedPipeline, { environment }: Chosen): Layer {
  if (request.profile !== undefined) return 'request'
  return environment.profile === undefined ? 'default' : 'environment'
}

function capLayer({ definition, environment, profile }: Chosen): Layer {
  if (definition.cap_micro_usd !== undefined) return 'bundle'
  if (runCapUsd(environment, profile) < runCapUsd(environment, {})) return 'profile'
  return environment.cost_gate.max_usd === undefined ? 'default' : 'environment'
}
