import { Countdown } from '../../components/countdown.tsx'
import { durationText } from '../../lib/duration.ts'
import { fullTimeText, timeText } from '../../lib/time.ts'
import { useNow } from '../../lib/use-now.ts'
import { STRINGS } from '../../strings.ts'
import type { WaitingGate } from './api.ts'

const words = STRINGS.gates
const RISK_COLOURS = { low: 'text-soft', medium: 'text-wait', high: 'text-bad' } as const

/** The gate's action, environment, risk, missing votes and remaining time. */
export function GateHeading({ gate }: { gate: WaitingGate }) {
  const { approvals, alert, reason, requester, frozen, halted, require_note } = gate
  return (
    <span className="block min-w-0">
      <span className="block font-medium [overflow-wrap:anywhere]">
        <bdi>{gate.summary}</bdi>
      </span>
      <span className="flex flex-wrap gap-x-4 text-sm text-soft">
        <span className={RISK_COLOURS[gate.risk]}>{words.risk(gate.risk)}</span>
        <span
          className={`[overflow-wrap:anywhere] ${gate.environment_class === 'production' ? 'font-medium text-bad' : ''}`}
        >
          {gate.environment}
          {gate.environment_class !== gate.environment && ` (${gate.environment_class})`}
        </span>
        <span className="[overflow-wrap:anywhere]">
          {gate.pack}/{gate.template}
        </span>
        {gate.targets !== undefined && gate.targets > 0 && <span>{words.targets(gate.targets)}</span>}
        {approvals.need > 1 && <span>{words.have(approvals.have, approvals.need)}</span>}
        <span>{gate.missing.text}</span>
        {require_note !== undefined && <span>{words.note_needed[require_note]}</span>}
        {requester !== undefined && <bdi className="[overflow-wrap:anywhere]">{words.asked_by(requester.display)}</bdi>}
        <Waiting since={gate.opened_at} />
        <Countdown to={gate.expires_at} />
      </span>
      {alert !== undefined && (
        <span className="block text-sm [overflow-wrap:anywhere]">
          {alert.severity}: <bdi>{alert.title}</bdi> · <bdi>{alert.service}</bdi>
        </span>
      )}
      {alert === undefined && reason !== undefined && (
        <span className="line-clamp-2 text-sm [overflow-wrap:anywhere]">
          <bdi>{reason}</bdi>
        </span>
      )}
      {halted !== undefined && <span className="block text-sm text-wait">{words.halted(halted)}</span>}
      {frozen !== undefined && (
        <span className="block text-sm text-wait">{words.frozen(frozen.name, timeText(frozen.until))}</span>
      )}
    </span>
  )
}

function Waiting({ since }: { since: string }) {
  return (
    <time dateTime={since} title={fullTimeText(since)}>
      {words.waits(durationText(useNow() - Date.parse(since)))}
    </time>
  )
}
