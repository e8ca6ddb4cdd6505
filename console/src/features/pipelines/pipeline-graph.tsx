import { ArrowRight, Diamond } from 'lucide-react'
import { Countdown } from '../../components/countdown.tsx'
import { visibleLine } from '../../lib/text.ts'
import { PIPELINES } from '../../strings/pipelines.ts'
import type { PipelineStep } from './api.ts'
import { ranksOf } from './ranks.ts'

const EDGES: Readonly<Record<PipelineStep['state'], string>> = {
  pending: 'border-border border-dashed text-muted-foreground',
  waiting_timer: 'border-primary border-dotted',
  waiting_event: 'border-primary border-dotted',
  ready: 'border-warning border-2',
  awaiting_approval: 'border-warning border-2',
  running: 'border-primary border-2',
  succeeded: 'border-success',
  failed: 'border-destructive border-2',
  skipped: 'border-border border-dotted text-muted-foreground',
  rejected: 'border-destructive border-2',
  cancelled: 'border-destructive border-dashed',
  expired: 'border-destructive border-dashed',
}

/** A pipeline at one look: a column for what may run side by side, gates and timers in their places. */
export function PipelineGraph({ steps }: { steps: readonly PipelineStep[] }) {
  return (
    <section
      aria-label={PIPELINES.graph}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      className="mb-4 flex items-stretch overflow-x-auto text-sm print:hidden"
    >
      {ranksOf(steps).map((rank, place) => (
        <div key={rank[0]?.id} className="flex items-center">
          {place > 0 && <ArrowRight aria-hidden className="mx-2 size-4 shrink-0 text-muted-foreground" />}
          <div className="flex flex-col justify-center gap-2">
            {rank.map((step) => (
              <Node key={step.id} step={step} />
            ))}
          </div>
        </div>
      ))}
    </section>
  )
}

function Node({ step: { title, state, gate, gate_id, fire_at, topic, runs } }: { step: PipelineStep }) {
  const done = runs.filter(({ role, status }) => role === 'run' && status === 'succeeded').length
  const all = runs.filter(({ role }) => role === 'run').length
  return (
    <div className={`max-w-64 min-w-28 rounded border bg-muted px-2 py-1 ${EDGES[state]}`}>
      <p className="break-words">
        {(gate === 'manual' || gate === 'approval' || gate_id !== undefined) && (
          <Diamond aria-hidden className="mr-1 inline size-3 fill-current text-warning" />
        )}
        {visibleLine(title)}
      </p>
      <p className="text-muted-foreground">
        {state.replaceAll('_', ' ')}
        {all > 1 && ` ${done}/${all}`}
      </p>
      {state === 'waiting_timer' && fire_at !== undefined && <Countdown to={fire_at} calm />}
      {state === 'waiting_event' && topic !== undefined && <code className="break-all">{topic}</code>}
    </div>
  )
}
