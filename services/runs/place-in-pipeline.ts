import type { JsonObject } from '#core/json-pointer.ts'
import { objectOf } from '#core/record-data.ts'

/** The place in a pipeline of a run. */
export function placeInPipeline({ pipeline_step: step, pipeline_index: entry, trigger }: JsonObject): JsonObject {
  if (step === undefined) return {}
  const isCompensation = objectOf(trigger)['compensation'] === true
  return { step, ...(entry !== undefined && { entry }), ...(isCompensation && { compensation: true }) }
}
