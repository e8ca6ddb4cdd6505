import type { GateCommand, RefusedCommand } from '#core/contract.ts'
import { commandText } from '#core/gate/command-text.ts'
import { barredFrom } from '#core/gate/contributors.ts'
import { type CastVote, type Standing, standingVotes } from '#core/gate/standing-votes.ts'
import { countApprovals, countedVotes, refusal, tally, unsaid } from '#core/gate/tally.ts'
import type { Decision } from '#core/gate/types.ts'
import { heldRoles } from '#core/user/held-roles.ts'
import type { CastRow, GateState, VoterRow } from '#store/gate-decisions.ts'
import type { GatePatch } from '#store/run-patches.ts'
import { may, mayEnter, ON_BEHALF } from '../auth/may.ts'
import { workspacesOf } from '../auth/user-actor.ts'
import type { GateChange } from './gate-patch.ts'
import type { RecordDeps } from './record-deps.ts'

type Cast = Required<Pick<GateChange, 'vote' | 'resolution' | 'cause' | 'approvals'>> &
  Pick<GateChange, 'counted'> &
  Pick<GatePatch, 'expect'>

/** What a command would make of a gate, with every vote on record counted as its voter stands now. Changes nothing. */
export async function castVote(
  deps: RecordDeps,
  { workspace_id, gate, command }: { workspace_id: string; gate: GateState; command: GateCommand },
): Promise<Cast | RefusedCommand> {
  const { required } = gate
  const requesters = barredFrom(required, gate.provenance)
  const cast = gate.votes.map((row) => castOf(deps, gate, row))
  const names = deps.open
    ? []
    : [...new Set([...gate.votes.map(({ command: each }) => each), command].flatMap(namesIn))]
  const voters = names.length === 0 ? [] : await deps.decisions.voters(names)
  const people = voters.map((row) => standingOf(row, workspace_id))
  const { open, signals_approve } = deps
  const under = { required, open, signals_approve, people, barred: requesters, asked_at: gate.asked_at }
  const counted = standingVotes(cast, under)
  const expect = { votes: gate.votes.length, people: names, versions: voters.map(({ version }) => version) }
  if (!isVote(command)) {
    const cause = command.kind === 'dismiss' ? 'dismissed' : 'condition_cleared'
    return { vote: null, resolution: 'expired', cause, approvals: countApprovals(required, counted, requesters) }
  }
  const [own] = standingVotes([voteOf(deps, gate, command)], under)
  if (own === undefined) return { refused: 'approver_not_allowed' }
  const code = unsaid(required, command) ?? refusal(required, cast, own, requesters)
  if (code !== undefined) return { refused: code }
  const votes = [...counted, own]
  const result = tally(required, votes, requesters)
  return {
    vote: command,
    resolution: result === 'open' ? null : result,
    cause: null,
    approvals: countApprovals(required, votes, requesters),
    counted: countedVotes(required, votes, requesters),
    expect,
  }
}

function isVote(command: GateCommand): command is GateCommand & { kind: Decision } {
  return command.kind === 'approve' || command.kind === 'reject'
}

function castOf(deps: RecordDeps, gate: GateState, { by, decision, command }: CastRow): CastVote {
  if (command !== null && isVote(command) && command.by === by && command.kind === decision)
    return voteOf(deps, gate, command)
  return { by, decision, channel: 'api', auth: 'none', asserted: true, signed: false }
}

function voteOf({ verify }: RecordDeps, gate: GateState, command: GateCommand & { kind: Decision }): CastVote {
  const { by, kind, roles, asserted, channel, auth, via, behind, delegations, signature } = command
  const about = command.gate_id === gate.id && command.plan_hash === gate.plan_hash
  return {
    by,
    decision: kind,
    roles,
    asserted,
    channel,
    auth: auth ?? 'none',
    signed: about && signature !== undefined && verify?.(commandText(gate.run_id, command), signature) === true,
    ...(via === undefined ? {} : { via }),
    ...(behind === undefined ? {} : { behind }),
    ...(delegations === undefined ? {} : { delegations }),
  }
}

function namesIn(command: GateCommand | null): string[] {
  if (command === null) return []
  const { by, via, delegations } = command
  return [by, by.toLowerCase(), ...(via === undefined ? [] : [via]), ...(delegations ?? []).map(({ of }) => of)]
}

function standingOf(row: VoterRow, workspaceId: string): Standing {
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
