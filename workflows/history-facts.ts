import { workflowInfo } from '@temporalio/workflow'
import type { HistoryFacts } from '#core/history.ts'

/** Returns the engine's facts about the history of this execution. */
export function historyFacts(): HistoryFacts {
  const { continueAsNewSuggested: suggested, historyLength: length, memo } = workflowInfo()
  return { length, suggested, limit: Number(memo?.['history_limit'] ?? Number.POSITIVE_INFINITY) }
}
