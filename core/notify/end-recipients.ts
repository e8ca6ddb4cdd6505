import type { NotifySettings } from '../environment/environment.ts'
import type { GateStatus } from '../gate/types.ts'
import type { TerminalStatus } from '../run/status.ts'

/** An ended run, with its gates in order and the recipients of each. */
export interface EndedRun {
  status: TerminalStatus
  /** the code of a failure */
  status_reason?: string | null
  gates: { gate_id: string; status: GateStatus; channels: string[]; escalate_to: string[] }[]
  asked: Asked[]
}

interface Asked {
  gate_id: string
  channel: string
  recipient: string
}

export interface EndRecipients {
  /** all recipients of these channels */
  channels: string[]
  people: Asked[]
  /** recipients that the gate which ended the run has already told */
  spared: Asked[]
}

/**
 * Returns the recipients of the end of a run: those who were asked about it and do not know yet, and those whom its environment names for
 * such an end. A failure after an approval also goes to the gate's escalation, else the environment's; a run that ended processes goes to
 * everyone whom the environment names.
 */
export function endRecipients(
  { status, status_reason, gates, asked }: EndedRun,
  settings: { notify?: NotifySettings | undefined; escalate_to: string[] },
): EndRecipients {
  const approved = gates.filter((gate) => gate.status === 'approved')
  const last = gates.at(-1)
  const knows = last?.status === status ? last.gate_id : undefined
  const named = approved.flatMap(({ escalate_to }) => escalate_to)
  const escalation = status === 'failed' && approved.length > 0 ? (named.length > 0 ? named : settings.escalate_to) : []
  const endsProcesses = status_reason === 'process_ended'
  const notified =
    settings.notify !== undefined && (endsProcesses || settings.notify.on.includes(status))
      ? settings.notify.channels
      : []
  const alarmed = endsProcesses ? settings.escalate_to : []
  return {
    channels: [...new Set([...approved.flatMap(({ channels }) => channels), ...escalation, ...notified, ...alarmed])],
    people: asked.filter(({ gate_id }) => gate_id !== knows),
    spared: asked.filter(({ gate_id }) => gate_id === knows),
  }
}
