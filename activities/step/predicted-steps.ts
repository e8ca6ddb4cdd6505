import { type JsonObject, objectOf } from '#core/json/json.ts'
import { PredictedStep } from '#core/run/dry-run-schema.ts'
import { visibleData } from '#core/text/visible-text.ts'
import type { RunSession } from '../run/run-session.ts'

/** As it is written into the record of its step. */
export function predictionRecord(predicted: PredictedStep): JsonObject {
  return visibleData(objectOf(predicted))
}

/** What a dry run has found up to here, in the order of the plan. */
export function predictedSteps(session: RunSession): PredictedStep[] {
  return session.plan.steps.flatMap((step) => {
    const predicted = PredictedStep.safeParse(session.steps.get(step.id)?.simulation)
    return predicted.success ? [predicted.data] : []
  })
}
