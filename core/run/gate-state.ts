import type { CancelCommand, GateCommand, GateOutcome, GateSettlement, ParkedGate, RunInput } from '../contract.ts'
import type { ErrorCode } from '../errors.ts'
import { tally, type Vote } from '../gate/tally.ts'
import type { GateStatus } from '../gate/types.ts'

type Waiting = { command: GateCommand; cancel: null; refused?: string } | { command: null; cancel: CancelCommand }

/** A gate while the run waits on it: who voted, what is in line to be recorded, and how it ended. */
export interface OpenGate {
  parked: ParkedGate
  votes: Vote[]
  line: Waiting[]
  /** set in the same instant as the deciding command enters the line: whoever comes later is refused */
  claimed: GateStatus | null
  outcomes: Record<string, GateOutcome>
}

export function openGate(parked: ParkedGate): OpenGate {
  return { parked, votes: [...(parked.votes ?? [])], line: [], claimed: null, outcomes: {} }
}

/** Why this command cannot act on the gate; undefined when it may. Changes nothing. */
export function refuseCommand(gate: OpenGate | null, command: GateCommand): ErrorCode | undefined {
  if (gate === null) return 'run_not_awaiting'
  if (gate.claimed !== null || gate.parked.gate_id !== command.gate_id) return 'gate_resolved'
  if (gate.votes.some((vote) => vote.by === command.by) && (command.kind === 'approve' || command.kind === 'reject'))
    return 'conflict'
  return undefined
}

/** Takes a command into the line and claims the gate when the command decides it. Runs without interruption. */
export function acceptCommand(gate: OpenGate, command: GateCommand): void {
  if (command.kind === 'approve' || command.kind === 'reject') {
    gate.votes.push(voteOf(command, command.kind))
    const result = tally(gate.parked.required, gate.votes)
    if (result !== 'open') gate.claimed = result
  } else {
    gate.claimed = 'expired'
  }
  gate.line.push({ command, cancel: null })
}

/** An attempt that counts for nothing takes its place in line all the same: it is recorded. */
export function refuseOnRecord(gate: OpenGate, command: GateCommand, refused: string): void {
  gate.line.push({ command, cancel: null, refused })
}

/** Takes back a vote that the record did not accept. */
export function dropVote(gate: OpenGate, command: GateCommand): void {
  gate.votes = gate.votes.filter((vote) => vote.by !== command.by)
  gate.claimed = null
}

function voteOf(command: GateCommand, decision: Vote['decision']): Vote {
  const { by, roles, asserted, delegations } = command
  return { by, decision, roles, asserted, ...(delegations === undefined ? {} : { delegations }) }
}

/** A cancellation takes the gate like any other decision: it wins only when nobody has claimed it before. */
export function acceptCancel(gate: OpenGate, cancel: CancelCommand): void {
  if (gate.claimed !== null) return
  gate.claimed = 'cancelled'
  gate.line.push({ command: null, cancel })
}

/** The next thing to record about the gate, or its expiry when nobody came in time. */
export function nextSettlement(gate: OpenGate, input: RunInput): GateSettlement {
  const next = gate.line.shift()
  const base = { run_id: input.run_id, workspace_id: input.workspace_id, gate: gate.parked, approvals: approvals(gate) }
  if (next === undefined) {
    gate.claimed = 'expired'
    return { ...base, resolution: 'expired', cause: 'ttl', command: null, cancel: null }
  }
  if (next.command === null)
    return { ...base, resolution: 'cancelled', cause: null, command: null, cancel: next.cancel }
  if (next.refused !== undefined)
    return { ...base, resolution: null, cause: null, command: next.command, cancel: null, refused: next.refused }
  const deciding = gate.line.length === 0 && gate.claimed !== null && gate.claimed !== 'open'
  const cause =
    next.command.kind === 'dismiss' ? 'dismissed' : next.command.kind === 'cleared' ? 'condition_cleared' : null
  return {
    ...base,
    resolution: deciding && gate.claimed !== 'open' ? gate.claimed : null,
    cause,
    command: next.command,
    cancel: null,
  }
}

type Carried = GateSettlement & { command: GateCommand }

/**
 * An approval through the API needs no record of its own before the next leg: the leg records it before it acts, and the
 * caller, who is there to wait, does when no lane slot is free.
 */
export function isCarried(settlement: GateSettlement): settlement is Carried {
  return (
    settlement.resolution === 'approved' && settlement.command !== null && settlement.command.channel !== 'temporal'
  )
}

/** What the caller of a carried approval is told; when it was recorded is read from the record. */
export function approvedOutcome({ gate, command, approvals }: Carried): GateOutcome {
  const { by, channel } = command
  return {
    gate_id: gate.gate_id,
    status: 'approved',
    resolved: true,
    approvals,
    resolved_by: by,
    resolved_at: null,
    channel,
  }
}

function approvals(gate: OpenGate): { have: number; need: number } {
  return { have: gate.votes.filter((vote) => vote.decision === 'approve').length, need: gate.parked.required.approvals }
}
