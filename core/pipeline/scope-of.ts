import type { JsonObject } from '../json/json.ts'
import type { PipelineSnapshot, PipelineStepRecord } from './snapshot.ts'
import { isStepEnd } from './transitions.ts'

/** The parts of a pipeline's record that expressions can name. */
export interface NamedRecord
  extends Pick<PipelineSnapshot, 'id' | 'workspace_id' | 'environment' | 'name' | 'reason' | 'inputs'> {
  steps: readonly Pick<PipelineStepRecord, 'id' | 'state' | 'outputs' | 'is_left_out'>[]
}

/**
 * Returns the variables of an expression: the pipeline, its inputs and the ended steps, and `more` of one place. A step whose outputs were
 * left out is noted in `missing` when an expression reads them.
 */
export function scopeOf(pipeline: NamedRecord, more: JsonObject = {}, missing: Set<string> = new Set()): JsonObject {
  const { id, workspace_id, environment, name, reason, inputs, steps } = pipeline
  const ended = steps.filter(({ state }) => isStepEnd(state))
  return {
    inputs,
    steps: Object.fromEntries(ended.map((step) => [step.id, seenOf(step, missing)])),
    pipeline: { id, workspace_id, environment, name, reason },
    ...more,
  }
}

function seenOf(step: NamedRecord['steps'][number], missing: Set<string>): JsonObject {
  return {
    status: step.state,
    get outputs() {
      if (step.is_left_out === true) missing.add(step.id)
      return step.outputs ?? {}
    },
  }
}
