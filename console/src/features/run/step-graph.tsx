import { visibleLine } from '../../lib/text.ts'
import { STRINGS } from '../../strings.ts'
import type { RunStep } from '../runs/api.ts'

const words = STRINGS.run.graph
type State = RunStep['state']
type GateState = RunStep['gates'][number]['status']

const EDGES: Readonly<Record<State, string>> = {
  pending: 'border-line border-dashed text-soft',
  ready: 'border-line text-soft',
  running: 'border-mark border-2',
  awaiting_approval: 'border-wait border-2',
  succeeded: 'border-good',
  failed: 'border-bad border-2',
  skipped: 'border-line border-dotted text-soft',
  cancelled: 'border-bad border-dashed',
  expired: 'border-bad border-dashed',
  outcome_unknown: 'border-bad border-double border-4',
}

const GATES: Readonly<Record<GateState, string>> = {
  open: 'text-wait',
  approved: 'text-good',
  rejected: 'text-bad',
  expired: 'text-bad',
  cancelled: 'text-bad',
}

/** The steps of a run in order, and the gates between them. The list below has the same in words. */
export function StepGraph({ steps }: { steps: readonly RunStep[] }) {
  return (
    <div role="img" aria-label={words.label} className="mb-4 flex flex-wrap items-center gap-y-2 text-sm print:hidden">
      {steps.map(({ id, name, state, gates }, place) => (
        <div key={id} className="flex max-w-full items-center">
          {place > 0 && <span className="px-2 text-soft">→</span>}
          {gates.map(({ gate_id, status }) => (
            <span key={gate_id} className={`flex items-center ${GATES[status]}`}>
              ◆ {words.gate[status]}
              <span className="px-2 text-soft">→</span>
            </span>
          ))}
          <span className={`min-w-0 rounded border bg-sunk px-2 py-1 break-words ${EDGES[state]}`}>
            {visibleLine(name)} <span className="whitespace-nowrap text-soft">({state.replaceAll('_', ' ')})</span>
          </span>
        </div>
      ))}
    </div>
  )
}
