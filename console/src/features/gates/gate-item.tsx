import { cn } from '../../lib/cn.ts'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'
import { GateHeading } from './gate-heading.tsx'
import { OpenInQueue } from './open-gate.tsx'
import type { Queue } from './use-queue.ts'

interface Props {
  gate: WaitingGate
  queue: Queue
  /** the run, where its gate was answered */
  onMessage: (message: string, run?: string) => void
}

/** One gate of the queue: a line, and when it is open, the details. */
export function GateItem({ gate, queue, onMessage }: Props) {
  const { run_id } = gate
  const open = queue.open?.gate.run_id === run_id ? queue.open : undefined
  const panel = `panel-${run_id}`
  return (
    <li
      className={cn(
        'border-t first:border-t-0',
        queue.current === run_id && 'bg-muted/60 shadow-[inset_3px_0_0_var(--primary)]',
      )}
    >
      <button
        type="button"
        id={queue.rowId(run_id)}
        aria-expanded={open !== undefined}
        aria-controls={panel}
        onFocus={() => queue.select(run_id)}
        onClick={() => (open === undefined ? queue.show(gate) : queue.close())}
        className="block w-full scroll-mt-14 px-4 py-3 text-left hover:bg-muted/60"
      >
        <GateHeading gate={gate} />
      </button>
      {open !== undefined && (
        <section
          id={panel}
          aria-label={STRINGS.gates.asks[gate.kind](gate.step)}
          className="border-t bg-background px-4 py-4"
        >
          <OpenInQueue gate={gate} queue={queue} onMessage={onMessage} />
        </section>
      )}
    </li>
  )
}
