import { allHandlersFinished, type CancellationScope, workflowInfo } from '@temporalio/workflow'
import type { RunHints } from '#core/contract.ts'
import type { GateStatus } from '#core/gate/types.ts'
import type { RunKnown, RunPlace } from '#core/run/next-move.ts'

export interface RunState extends Pick<RunKnown, 'cancelled' | 'woken'> {
  place: RunPlace
  ended: Map<string, GateStatus>
  /** the leg under way */
  leg: CancellationScope | null
  /** what is known of why it failed */
  failure: string | null
  closed: boolean
}

export function startRun(hints?: RunHints): RunState {
  const place = { near: hints?.near === true, wait: null }
  return { place, ended: new Map(), woken: false, cancelled: false, leg: null, failure: null, closed: false }
}

/** What the next move is decided by. */
export function knownTo({ cancelled, woken, ended }: RunState): RunKnown {
  const { continueAsNewSuggested: suggested, historyLength: length, memo } = workflowInfo()
  const limit = Number(memo?.['history_limit'] ?? Number.POSITIVE_INFINITY)
  return { cancelled, woken, ended, idle: allHandlersFinished(), history: { length, suggested, limit } }
}
