import type { GateCommand } from '#core/contract.ts'
import { type Attribution, commandText } from '#core/gate/attribute.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import type { Vote } from '#core/gate/tally.ts'
import type { Decision } from '#core/gate/types.ts'
import { type CastVote, type CountedUnder, type VoterAuthority, validVotes } from '#core/gate/valid-votes.ts'
import { heldRoles } from '#core/user/schema.ts'
import type { AnsweredGate, GateDecisions, VoterRow } from '#store/gates/gate-decisions.ts'
import type { AnswerRow } from '#store/runs/run-answers.ts'
import { may, mayEnter, ON_BEHALF } from '../auth/may.ts'
import { workspacesOf } from '../auth/user-record.ts'

/** The dependencies of counting votes. */
export interface VotePorts extends Attribution {
  decisions: Pick<GateDecisions, 'voters'>
  /** true when signals from the Temporal Web UI may approve */
  signals_approve: boolean
}

/** Gates with the votes that count now: the one source for decisions and for everything that shows a gate. */
export async function withCurrentVotes<Gate extends AnsweredGate>(
  ports: VotePorts,
  workspaceId: string,
  gates: readonly Gate[],
): Promise<(Gate & { votes: Vote[] })[]> {
  const commands = gates.flatMap(({ answers }) => answers.map(({ command }) => command))
  const voters = await readVoters(ports, workspaceId, commands)
  return gates.map((gate) => ({ ...gate, votes: votesOf(ports, gate, voters) }))
}

/** The votes on one gate that count now. */
export async function votesOn(ports: VotePorts, workspaceId: string, gate: AnsweredGate): Promise<Vote[]> {
  const voters = await readVoters(
    ports,
    workspaceId,
    gate.answers.map(({ command }) => command),
  )
  return votesOf(ports, gate, voters)
}

/** The users whom commands name, with their current authority. */
export interface Voters {
  names: string[]
  versions: string[]
  of(command: GateCommand | null): VoterAuthority[]
}

export async function readVoters(
  { open, decisions }: VotePorts,
  workspaceId: string,
  commands: readonly (GateCommand | null)[],
): Promise<Voters> {
  const names = open ? [] : [...new Set(commands.flatMap(namesIn))]
  const rows = names.length === 0 ? [] : await decisions.voters(names)
  const people = new Map<string, VoterAuthority>()
  for (const row of rows) {
    const authority = authorityOf(row, workspaceId)
    people.set(row.id, authority).set(row.email, authority)
  }
  return {
    names,
    versions: rows.map(({ version }) => version),
    of: (command) => [...new Set(namesIn(command).flatMap((name) => people.get(name) ?? []))],
  }
}

/** Returns the recorded votes on a gate that count. */
export function votesOf(ports: VotePorts, gate: AnsweredGate, voters: Voters): Vote[] {
  return gate.answers.flatMap((row) => authority(ports, gate, { cast: castOf(ports, gate, row), voters, row }))
}

/** The answers to a gate as they were given, those of these ids alone where they are known. */
export function recordedVotes(gate: AnsweredGate, ids?: readonly string[]): Vote[] {
  const of = ids === undefined ? gate.answers : gate.answers.filter(({ decision_id }) => ids.includes(decision_id))
  return of.map((row) => castOf({}, gate, row))
}

/** A vote that is about to be cast, if it would count. */
export function voteNow(
  ports: VotePorts,
  gate: AnsweredGate,
  { command, voters }: { command: GateCommand & { kind: Decision }; voters: Voters },
): Vote | undefined {
  return authority(ports, gate, { cast: voteOf(ports, gate, command), voters, row: { command } })[0]
}

function authority(
  { open, signals_approve }: VotePorts,
  { required, provenance, asked_at }: AnsweredGate,
  { cast, voters, row }: { cast: CastVote; voters: Voters; row: Pick<AnswerRow, 'command'> },
): Vote[] {
  const barred = barredFrom(required, provenance)
  const under: CountedUnder = { required, open, signals_approve, people: voters.of(row.command), barred, asked_at }
  return validVotes([cast], under)
}

export function isVote(command: GateCommand): command is GateCommand & { kind: Decision } {
  return command.kind === 'approve' || command.kind === 'reject'
}

function castOf(
  ports: Pick<VotePorts, 'verify'>,
  gate: AnsweredGate,
  { decision_id, by, decision, command }: AnswerRow,
): CastVote {
  if (command !== null && isVote(command) && command.by === by && command.kind === decision)
    return voteOf(ports, gate, command)
  return { decision_id, by, decision, channel: 'api', auth: 'none', asserted: true, signed: false }
}

function voteOf(
  { verify }: Pick<VotePorts, 'verify'>,
  gate: Pick<AnsweredGate, 'gate_id' | 'run_id' | 'plan_hash'>,
  command: GateCommand & { kind: Decision },
): CastVote {
  const { decision_id, by, kind, roles, asserted, channel, auth, via, behind, delegations, signature } = command
  const about = command.gate_id === gate.gate_id && command.plan_hash === gate.plan_hash
  return {
    decision_id,
    by,
    decision: kind,
    roles,
    asserted,
    channel,
    auth: auth ?? 'none',
    signed: about && signature !== undefined && verify?.(commandText(gate.run_id, command), signature) === true,
    ...(via !== undefined && { via }),
    ...(behind !== undefined && { behind }),
    ...(delegations !== undefined && { delegations }),
  }
}

function namesIn(command: GateCommand | null): string[] {
  if (command === null) return []
  const { by, via, delegations } = command
  return [by, by.toLowerCase(), ...(via === undefined ? [] : [via]), ...(delegations ?? []).map(({ of }) => of)]
}

function authorityOf(row: VoterRow, workspaceId: string): VoterAuthority {
  const { id, email, status, roles, scopes, approval_roles, delegate_to, answering_accounts, changed_by } = row
  return {
    id,
    email,
    active: status === 'active',
    // a service account has no vote of its own
    may_decide:
      !roles.includes('service') &&
      may({ roles, scopes: [] }, 'approver') &&
      mayEnter({ workspaces: workspacesOf(row) }, workspaceId),
    on_behalf: scopes.includes(ON_BEHALF),
    roles: heldRoles({ roles, approval_roles }),
    delegate_to,
    answering_accounts,
    changed_by,
  }
}
