import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import type { GateResult } from './answer-shown.ts'
import type { WaitingGate } from './api.ts'
import { stateOf } from './groups.ts'
import type { OpenGroup } from './use-open-group.ts'

const { done } = GATE_GROUPS

/** Whether the gate of a row is closed as far as is known: what became of it says its run. */
export function isOver(row: WaitingGate, { open, listed }: Pick<OpenGroup, 'open' | 'listed'>): boolean {
  const result = open?.results.get(row.run_id)
  if (result?.kind === 'done') return result.outcome.resolved
  return result?.kind === 'decided' || (result === undefined && stateOf(row, listed) === 'left')
}

/** How many answers ended in which way, and how many gates were closed without one. */
export function doneText(results: readonly GateResult[], left = 0): string {
  const ways = results.map((result) => {
    if (result.kind !== 'done') return result.kind
    const { resolved, decision } = result.outcome
    return !resolved ? 'counted' : decision === 'reject' ? 'rejected' : 'approved'
  })
  const said = (['approved', 'rejected', 'counted', 'decided', 'changed', 'refused'] as const).flatMap((way) => {
    const count = ways.filter((each) => each === way).length
    return count === 0 ? [] : [done[way](count)]
  })
  return `${[...said, ...(left > 0 ? [done.left(left)] : [])].join(', ')}.`
}

/** The gates of a group that wait still, and what became of the others. */
export function progressOf(gates: readonly WaitingGate[], group: Pick<OpenGroup, 'open' | 'listed'>) {
  const waiting = gates.filter((row) => !isOver(row, group))
  if (waiting.length === gates.length) return { waiting }
  const results = group.open?.results ?? new Map<string, GateResult>()
  const left = gates.filter((row) => isOver(row, group) && !results.has(row.run_id)).length
  return { waiting, became: doneText([...results.values()], left) }
}
