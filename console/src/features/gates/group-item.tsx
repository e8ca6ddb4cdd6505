import { lazy, Suspense } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Loading } from '../../components/states.tsx'
import { Environment, Risk, Severity } from '../../components/status.tsx'
import { Since } from '../../components/time.tsx'
import { cn } from '../../lib/cn.ts'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'
import { HeldBack } from './gate-heading.tsx'
import { commonText, type GateGroup, isCritical } from './groups.ts'
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
        className="block w-full px-4 py-3 text-left hover:bg-muted/60"
      >
        <GroupHeading gates={group.gates} />
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

const first = (times: string[]) => times.reduce((one, other) => (other < one ? other : one))

function GroupHeading({ gates }: { gates: WaitingGate[] }) {
  const [gate] = gates
  if (gate === undefined) return null
  const summary = commonText(gates.map((each) => each.summary)) || gate.summary
  const problems = gates.map(({ alert, reason }) => alert?.title ?? reason ?? '')
  const title = problems.every((each) => each === '') ? undefined : commonText(problems) || GATE_GROUPS.others
  const severity = gates.every(({ alert }) => alert?.severity === gate.alert?.severity)
    ? gate.alert?.severity
    : undefined
  const critical = gates.filter(isCritical).length
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="info">{GATE_GROUPS.count(gates.length)}</Badge>
        {severity !== undefined && <Severity of={severity} />}
        {severity === undefined && critical > 0 && <Severity of="critical" text={GATE_GROUPS.critical(critical)} />}
        <span className="line-clamp-2 min-w-0 font-medium [overflow-wrap:anywhere]">
          <bdi>{title ?? summary}</bdi>
        </span>
      </span>
      {title !== undefined && (
        <span className="block text-sm [overflow-wrap:anywhere]">
          <bdi>{summary}</bdi>
        </span>
      )}
      <span className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted-foreground [overflow-wrap:anywhere]">
        <Risk of={gate.risk} />
        <Environment name={gate.environment} of={gate.environment_class} />
        <span>
          {gate.pack}/{gate.template}
        </span>
        {gates.every(({ missing }) => missing.text === gate.missing.text) && <span>{gate.missing.text}</span>}
        {gate.require_note !== undefined && <span>{STRINGS.gates.note_needed[gate.require_note]}</span>}
        <Since at={first(gates.map(({ opened_at }) => opened_at))} text={GATE_GROUPS.oldest} />
        <Countdown to={first(gates.map(({ expires_at }) => expires_at))} />
      </span>
      <HeldBack
        halted={gates.find(({ halted }) => halted !== undefined)?.halted}
        frozen={gates.find(({ frozen }) => frozen !== undefined)?.frozen}
      />
    </span>
  )
}
