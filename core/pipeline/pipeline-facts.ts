import type { JsonObject } from '../json-pointer.ts'
import type { Plan } from '../plan/types.ts'

/** What a pipeline needs to know of a template that it runs. */
export interface PipelineTemplate {
  inputs_schema: JsonObject
  /** expressions by the names of the outputs */
  outputs: JsonObject
  plan: Pick<Plan, 'digest'>
}

/** By `pack/template`; undefined where a template is there and cannot be loaded. */
export type PipelineTemplates = ReadonlyMap<string, PipelineTemplate | undefined>

export interface PipelineFacts {
  templates: PipelineTemplates
  /** `sha256:` over the files of the bundle */
  bundle_digest: string
}
