import { Badge } from '../../components/badge.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Environment, Risk, Severity } from '../../components/status.tsx'
import { Since } from '../../components/time.tsx'
import { GATE_GROUPS } from '../../strings/gate-groups.ts'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'
import { HeldBack } from './gate-heading.tsx'
import { commonProblem, commonText, isCritical, namesOf } from './groups.ts'

const first = (times: string[]) => times.reduce((one, other) => (other < one ? other : one))

/** Equal gates in a few lines: how many, what about, what they have in common, and the most urgent of each. */
export function GroupHeading({ gates }: { gates: WaitingGate[] }) {
  const [gate] = gates
  if (gate === undefined) return null
  const summary = commonText(gates.map((each) => each.summary)) || gate.summary
  const names = namesOf(gates)
  const title = names.length === 0 ? summary : GATE_GROUPS.names(names)
  const common = [commonProblem(gates), summary].filter((text) => text !== '' && text !== title)
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
          <bdi>{title}</bdi>
        </span>
      </span>
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
