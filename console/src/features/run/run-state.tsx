import { CircleAlert } from 'lucide-react'
import { Time } from '../../components/facts.tsx'
import { STRINGS } from '../../strings.ts'
import type { Run } from '../runs/api.ts'

const words = STRINGS.run
const { state, gate: gateWords } = words

/** The state of a run in a sentence, what holds it, and why it failed in the words of its target. */
export function RunState({ run }: { run: Run }) {
  return (
    <section aria-label={state.title} className="mb-2 rounded-lg border bg-muted px-3 py-2 sm:mb-4 sm:py-3">
      <p>{formatState(run)}</p>
      {run.halts?.map(({ id, reason, by, created_at }) => (
        <p key={id} className="mt-1 break-words text-warning">
          {gateWords.halted}: {reason} ({by}, <Time at={created_at} />)
        </p>
      ))}
      {run.error !== undefined && (
        <p role="alert" className="mt-1 flex gap-2 font-medium break-words text-destructive">
          <CircleAlert aria-hidden className="mt-0.5 size-5 shrink-0" />
          <span className="min-w-0">
            {words.failed}: {run.error.message} ({run.error.code})
          </span>
        </p>
      )}
    </section>
  )
}

function formatState({ status, status_reason, lane, progress }: Run): string {
  if (status_reason === 'halted' || status_reason === 'halt_lifted') return state[status_reason]
  if (status === 'queued') return state.queued(lane)
  if (status !== 'running') return state[status]
  const step = progress.steps.find(({ id }) => id === progress.current_step)
  return state.running(step?.name ?? progress.current_step ?? progress.phase)
}
