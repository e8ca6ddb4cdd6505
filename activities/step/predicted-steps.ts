import type { JsonObject } from '#core/json/json.ts'
import { objectOf } from '#core/json/record-data.ts'
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
    const record = session.steps.get(step.id)
    if (record === undefined) return []
    const predicted = PredictedStep.safeParse(record.simulation)
    if (predicted.success) return [predicted.data]
    if (record.state !== 'succeeded' && record.state !== 'skipped') return []
    // it was settled under a release that kept no more of it
    const { id, name, operator } = step
    return [{ id, name, operator, would: 'unknown', executed: false, summary: 'looked at by an earlier release' }]
  })
}
