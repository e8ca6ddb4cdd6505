import { allHandlersFinished, type CancellationScope, workflowInfo } from '@temporalio/workflow'
import type { GateStatus } from '#core/gate/types.ts'
import type { RunKnown, RunPlace } from '#core/run/next-move.ts'

/** What the workflow keeps between its moves; the record keeps everything else. */
export interface RunState extends Pick<RunKnown, 'cancelled' | 'woken'> {
  place: RunPlace
  ended: Map<string, GateStatus>
  /** the leg under way */
  leg: CancellationScope | null
  /** what is known of why it failed */
  failure: string | null
  closed: boolean
}

/** The same for the state machine, with what the engine says of the history. */
export function knownTo({ cancelled, woken, ended }: RunState): RunKnown {
  const { continueAsNewSuggested: suggested, historyLength: length, memo } = workflowInfo()
  const limit = Number(memo?.['history_limit'] ?? Number.POSITIVE_INFINITY)
  return { cancelled, woken, ended, idle: allHandlersFinished(), history: { length, suggested, limit } }
}
