import { Badge } from '../../components/badge.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Environment, Risk, Severity } from '../../components/status.tsx'
import { Since } from '../../components/time.tsx'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'
import { HeldBack } from './gate-heading.tsx'
import { commonProblem, commonText, namesOf, worstOf } from './groups.ts'

const first = (times: string[]) => times.reduce((one, other) => (other < one ? other : one))

interface Props {
  gates: WaitingGate[]
  /** those that wait still, and what became of the others */
  waiting?: WaitingGate[]
  became?: string
}

/** Equal gates in a few lines: how many, what about, what they have in common, and the most urgent of each that waits. */
export function GroupHeading({ gates, waiting = gates, became }: Props) {
  const [gate] = gates
  if (gate === undefined) return null
  const summary = commonText(gates.map((each) => each.summary)) || gate.summary
  const names = namesOf(gates)
  const title = names.length === 0 ? summary : GATE_GROUPS.names(names)
  const common = [commonProblem(gates), summary].filter((text) => text !== '' && text !== title)
  const [next] = waiting
  const isOne = waiting.every(({ alert }) => alert?.severity === next?.alert?.severity)
  const worst = worstOf(waiting)
  const commented = waiting.filter(({ comment_count }) => comment_count > 0).length
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone="info">
          {became === undefined ? GATE_GROUPS.count(gates.length) : GATE_GROUPS.waiting(waiting.length, gates.length)}
        </Badge>
        {isOne && next?.alert !== undefined && <Severity of={next.alert.severity} />}
        {!isOne && worst !== undefined && <Severity of={worst.severity} text={GATE_GROUPS.worst(worst)} />}
        <span className="line-clamp-2 min-w-0 font-medium [overflow-wrap:anywhere]">
          <bdi>{title}</bdi>
        </span>
      </span>
      {became !== undefined && <span className="block text-sm font-medium">{became}</span>}
      {common.map((text) => (
        <span key={text} className="block text-sm [overflow-wrap:anywhere]">
          <bdi>{text}</bdi>
        </span>
      ))}
      <span className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted-foreground [overflow-wrap:anywhere]">
        <Risk of={gate.risk} />
        <Environment name={gate.environment} of={gate.environment_class} />
        <span>
          {gate.pack}/{gate.template}
        </span>
        {gate.trigger !== undefined && <span>{GATE_GROUPS.trigger(gate.trigger)}</span>}
        {next !== undefined && (
          <>
            {waiting.every(({ missing }) => missing.text === next.missing.text) && <span>{next.missing.text}</span>}
            {next.require_note !== undefined && <span>{STRINGS.gates.note_needed[next.require_note]}</span>}
            <Since at={first(waiting.map(({ opened_at }) => opened_at))} text={GATE_GROUPS.oldest} />
            <Countdown to={first(waiting.map(({ expires_at }) => expires_at))} />
          </>
        )}
        {commented > 0 && <span className="font-medium text-warning">{GATE_GROUPS.commented(commented)}</span>}
      </span>
      <HeldBack
        halted={waiting.find(({ halted }) => halted !== undefined)?.halted}
        frozen={waiting.find(({ frozen }) => frozen !== undefined)?.frozen}
      />
    </span>
  )
}
