import type { JsonObject } from '../json.ts'
import type { PipelineSnapshot, PipelineStepRecord } from './snapshot.ts'
import { isStepEnd } from './status.ts'

/** The parts of a pipeline's record that expressions can name. */
export interface NamedRecord
  extends Pick<PipelineSnapshot, 'id' | 'workspace_id' | 'environment' | 'name' | 'reason' | 'inputs'> {
  steps: readonly Pick<PipelineStepRecord, 'id' | 'state' | 'outputs'>[]
}

/** The variables of an expression: the pipeline, its inputs and the steps that have ended, and `more` that only one place knows. */
export function scopeOf(pipeline: NamedRecord, more: JsonObject = {}): JsonObject {
  const { id, workspace_id, environment, name, reason, inputs, steps } = pipeline
  const ended = steps.filter(({ state }) => isStepEnd(state))
  return {
    inputs,
    steps: Object.fromEntries(ended.map((step) => [step.id, { status: step.state, outputs: step.outputs ?? {} }])),
    pipeline: { id, workspace_id, environment, name, reason },
    ...more,
  }
}
