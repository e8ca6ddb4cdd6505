import { Countdown } from '../../components/countdown.tsx'
import { Environment, Risk, Severity } from '../../components/status.tsx'
import { Since } from '../../components/time.tsx'
import { timeText } from '../../lib/time.ts'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'
import { NewestComment } from './gate-marks.tsx'

const words = STRINGS.gates

/** The problem, the planned action, its risk and its deadline. */
export function GateHeading({ gate }: { gate: WaitingGate }) {
  const { approvals, alert, reason, requester, frozen, halted, require_note } = gate
  const problem = alert?.title ?? reason
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        {alert !== undefined && <Severity of={alert.severity} />}
        <span className="line-clamp-2 min-w-0 font-medium [overflow-wrap:anywhere]">
          <bdi>{problem ?? gate.summary}</bdi>
        </span>
      </span>
      {problem !== undefined && (
        <span className="block text-sm [overflow-wrap:anywhere]">
          <bdi>{gate.summary}</bdi>
          {alert !== undefined && (
            <span className="text-muted-foreground">
              {' '}
              · <bdi>{alert.service}</bdi>
            </span>
          )}
        </span>
      )}
      {gate.retry !== undefined && (
        <span className="block text-sm text-warning [overflow-wrap:anywhere]">{gate.retry.text}</span>
      )}
      <span className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted-foreground [overflow-wrap:anywhere]">
        <Risk of={gate.risk} />
        <Environment name={gate.environment} of={gate.environment_class} />
        <span>
          {gate.pack}/{gate.template}
        </span>
        {gate.targets !== undefined && gate.targets > 0 && <span>{words.targets(gate.targets)}</span>}
        {approvals.need > 1 && <span>{words.have(approvals.have, approvals.need)}</span>}
        <span>{gate.missing.text}</span>
        {require_note !== undefined && <span>{words.note_needed[require_note]}</span>}
        {requester !== undefined && <bdi>{words.asked_by(requester.display)}</bdi>}
        {gate.acknowledged.length > 0 && (
          <span>{words.remarks.looks(gate.acknowledged.map(({ name }) => name).join(', '))}</span>
        )}
        <Since at={gate.opened_at} text={words.waits} />
        <Countdown to={gate.expires_at} />
      </span>
      <NewestComment gate={gate} />
      <HeldBack halted={halted} frozen={frozen} />
    </span>
  )
}

/** What keeps a gate, or its run, from going on. */
export function HeldBack({ halted, frozen }: { [Key in 'halted' | 'frozen']: WaitingGate[Key] | undefined }) {
  const held = 'mt-1 block text-sm font-medium text-warning'
  return (
    <>
      {halted !== undefined && <span className={held}>{words.halted(halted)}</span>}
      {frozen !== undefined && <span className={held}>{words.frozen(frozen.name, timeText(frozen.until))}</span>}
    </>
  )
}
