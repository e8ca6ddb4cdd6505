import { lazy, Suspense } from 'react'
import { Loading } from '../../components/states.tsx'
import { cn } from '../../lib/cn.ts'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { GroupHeading } from './group-heading.tsx'
import { progressOf } from './group-outcome.ts'
import type { GateGroup } from './groups.ts'
import type { Queue } from './use-queue.ts'

const GroupPanel = lazy(() => import('./group-panel.tsx').then(({ GroupPanel }) => ({ default: GroupPanel })))

interface Props {
  group: GateGroup
  queue: Queue
  onMessage: (message: string, run?: string) => void
}

/** Equal gates: a line, and when it is open, what they are in particular. */
export function GroupItem({ group, queue, onMessage }: Props) {
  const { id } = group
  const open = queue.group.open?.id === id
  const panel = `panel-${id}`
  return (
    <li
      className={cn(
        'border-t first:border-t-0',
        queue.current === id && 'bg-muted/60 shadow-[inset_3px_0_0_var(--primary)]',
      )}
    >
      <button
        type="button"
        id={queue.rowId(id)}
        aria-expanded={open}
        aria-controls={panel}
        onFocus={() => queue.select(id)}
        onClick={() => (open ? queue.leave() : queue.showGroup(group))}
        className="block w-full scroll-mt-14 px-4 py-3 text-left hover:bg-muted/60"
      >
        <GroupHeading gates={group.gates} {...(open && progressOf(group.gates, queue.group))} />
      </button>
      {open && (
        <section id={panel} aria-label={GATE_GROUPS.count(group.gates.length)} className="border-t bg-background p-4">
          <Suspense fallback={<Loading />}>
            <GroupPanel queue={queue} onMessage={onMessage} />
          </Suspense>
        </section>
      )}
    </li>
  )
}
