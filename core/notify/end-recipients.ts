import type { NotifySettings } from '../environment/environment.ts'
import type { GateStatus } from '../gate/types.ts'
import type { TerminalStatus } from '../run/status.ts'

/** A run that has ended, with its gates in their order and who was told of each. */
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
  /** everybody whom these channels name */
  channels: string[]
  people: Asked[]
  /** whom the gate that took the run with it has told the same */
  spared: Asked[]
}

/**
 * Who is told how a run ended: those who were asked about it and do not know yet, and those whom its environment names for such an end. A
 * failure of what a person approved also goes to where the gate, or else its environment, escalates, and a run that ended processes to all
 * whom the environment names, no matter what else they are told.
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
