import { useQuery } from '@tanstack/react-query'
import { ArrowRight, Diamond } from 'lucide-react'
import { answeredBy } from '../../../../client/gate-text.ts'
import { cn } from '../../lib/cn.ts'
import { visibleLine } from '../../lib/text.ts'
import { STRINGS } from '../../strings.ts'
import { type Run, type RunStep, stepsQuery } from '../runs/api.ts'

const words = STRINGS.run.graph
type State = RunStep['state']
type GateState = RunStep['gates'][number]['status']

const EDGES: Readonly<Record<State, string>> = {
  pending: 'border-border border-dashed text-muted-foreground',
  ready: 'border-border text-muted-foreground',
  running: 'border-primary border-2',
  awaiting_approval: 'border-warning border-2',
  succeeded: 'border-success',
  failed: 'border-destructive border-2',
  skipped: 'border-border border-dotted text-muted-foreground',
  cancelled: 'border-destructive border-dashed',
  expired: 'border-destructive border-dashed',
  outcome_unknown: 'border-destructive border-double border-4',
  not_reached: 'border-border border-dotted text-muted-foreground',
}

const GATES: Readonly<Record<GateState, string>> = {
  open: 'text-warning',
  approved: 'text-success',
  rejected: 'text-destructive',
  expired: 'text-destructive',
  cancelled: 'text-destructive',
}

const ARROW = 'mx-2 size-4 shrink-0 text-muted-foreground'

/** The steps of a run in order, and the gates between them. The list below has the same in words; a phone shows an open gate instead. */
export function StepGraph({ run }: { run: Run }) {
  const { data: steps = [] } = useQuery(stepsQuery(run.id))
  if (steps.length === 0) return null
  return (
    <div
      role="img"
      aria-label={words.label}
      className={cn(
        'mb-4 flex flex-wrap items-center gap-y-2 text-sm print:hidden',
        run.status === 'awaiting_approval' && 'max-sm:hidden',
      )}
    >
      {steps.map(({ id, name, state, gates }, place) => (
        <div key={id} className="flex max-w-full items-center">
          {place > 0 && <ArrowRight aria-hidden className={ARROW} />}
          {gates.map(({ gate_id, status }) => (
            <span key={gate_id} className={`flex items-center gap-1 ${GATES[status]}`}>
              <Diamond aria-hidden className="size-3 shrink-0 fill-current" />
              {words.answered(words.gate[status], namesOf(run, gate_id, status))}
              <ArrowRight aria-hidden className={ARROW} />
            </span>
          ))}
          <span className={`min-w-0 rounded border bg-muted px-2 py-1 break-words ${EDGES[state]}`}>
            {visibleLine(name)}{' '}
            <span className="whitespace-nowrap text-muted-foreground">({state.replaceAll('_', ' ')})</span>
          </span>
        </div>
      ))}
    </div>
  )
}

const DECISIONS: Readonly<Record<string, string>> = { approved: 'approve', rejected: 'reject' }

/** Those whose answers closed a gate. */
function namesOf(run: Run, gate_id: string, status: GateState): string[] {
  const { decisions = [] } = run.gates.find((gate) => gate.gate_id === gate_id) ?? {}
  return decisions
    .filter(({ decision }) => decision === DECISIONS[status])
    .map((answer) => visibleLine(answeredBy(answer)))
}
