import { type JsonObject, objectOf } from '../json/json.ts'
import { MICRO_PER_USD } from '../money.ts'
import { visibleData } from '../text/visible-text.ts'
import type { DryRunReport, PredictedStep } from './dry-run-schema.ts'

/** The whole of a dry run, from what was found of each step. */
export function dryRunReport(steps: PredictedStep[], cap_usd: number, spent_usd: number): DryRunReport {
  const ids = (which: (step: PredictedStep) => boolean) => steps.filter(which).map(({ id }) => id)
  const ahead = steps.filter(({ would, executed }) => !executed && (would === 'act' || would === 'read'))
  const micro = ahead.reduce((sum, { estimate_usd = 0 }) => sum + Math.round(estimate_usd * MICRO_PER_USD), 0)
  return {
    steps,
    executed: ids(({ executed }) => executed),
    gates: ids(({ gate }) => gate !== undefined),
    unknown: ids(({ would }) => would === 'unknown'),
    estimate_usd: micro / MICRO_PER_USD,
    cap_usd,
    fits: micro + Math.round(spent_usd * MICRO_PER_USD) <= Math.round(cap_usd * MICRO_PER_USD),
  }
}

/** The first step at which the run would surely end. */
export function wouldEndAt(steps: readonly PredictedStep[]): PredictedStep | undefined {
  return steps.find(({ would }) => would === 'be_refused' || would === 'fail')
}

/** Steps whose outputs are not known, because they were not executed or failed. */
export function withoutOutputs(steps: readonly PredictedStep[]): string[] {
  return steps
    .filter(({ would, executed }) => would !== 'be_skipped' && !(executed && would === 'read'))
    .map(({ id }) => id)
}

/** Steps after which the world would be another than it is. */
export function withoutEffect(steps: readonly PredictedStep[]): string[] {
  return steps.filter(({ would }) => would !== 'be_skipped' && would !== 'read').map(({ id }) => id)
}

/** What was found of a step, as it is written into its record. */
export function predictionRecord(predicted: PredictedStep): JsonObject {
  return visibleData(objectOf(predicted))
}
