import { allHandlersFinished, type CancellationScope } from '@temporalio/workflow'
import type { GateStatus } from '#core/gate/types.ts'
import type { RunKnown, RunPlace } from '#core/run/next-move.ts'
import { historyFacts } from './history-facts.ts'

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
  return { cancelled, woken, ended, idle: allHandlersFinished(), history: historyFacts() }
}
