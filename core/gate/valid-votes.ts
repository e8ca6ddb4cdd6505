import type { Vote } from './tally.ts'
import type { Required } from './types.ts'

/** A recorded vote. */
export interface CastVote extends Vote {
  channel: string
  auth: string
  /** the API's signature over this vote, its gate and its plan holds */
  signed: boolean
}

/** The users who invited an account, set its password or changed its rights, and when each last did, by the clock of the database. */
export type UserChanges = Record<string, Partial<Record<'invited' | 'password' | 'rights', string>>>

/** A voter's authority when votes are counted. */
export interface VoterAuthority {
  id: string
  email: string
  active: boolean
  /** holds a role that decides, and may enter the workspace */
  may_decide: boolean
  /** a service account that may answer for others */
  on_behalf: boolean
  roles: string[]
  delegate_to: string | null
  /** service accounts that may answer for them */
  answering_accounts: readonly string[]
  changed_by: UserChanges
}

export interface CountedUnder {
  required: Required
  /** true while authentication is off */
  open: boolean
  /** true when signals from the Temporal Web UI may approve */
  signals_approve: boolean
  people: readonly VoterAuthority[]
  /** users whose approval the gate refuses */
  barred: readonly string[]
  /** the time of the run's request, by the clock of the database */
  asked_at: string
}

/** Returns what a barred user has done for the voter since the run was requested; undefined for nothing. */
export function enabledSince(
  { changed_by }: Pick<VoterAuthority, 'changed_by'>,
  { required, barred, asked_at }: Pick<CountedUnder, 'required' | 'barred' | 'asked_at'>,
): keyof UserChanges[string] | undefined {
  if (!required.prevent_self) return undefined
  const since = Date.parse(asked_at)
  const changes = Object.entries(changed_by).filter(([by]) => barred.includes(by))
  for (const [, kinds] of changes) for (const what of CHANGES) if (Date.parse(kinds[what] ?? '') >= since) return what
  return undefined
}

const CHANGES = ['invited', 'password', 'rights'] as const

/**
 * Returns the votes that count now, with the roles that were held when they were given and still are. A former right lets nothing through.
 */
export function validVotes(votes: readonly CastVote[], under: CountedUnder): Vote[] {
  if (under.open) return [...votes]
  return votes.flatMap((vote) => validVote(vote, under) ?? [])
}

function validVote(vote: CastVote, under: CountedUnder): Vote | undefined {
  if (vote.channel === 'temporal')
    return vote.by === 'temporal' && (vote.decision === 'reject' || under.signals_approve) ? vote : undefined
  if (!vote.signed) return undefined
  const person = under.people.find(({ id, email }) => id === vote.by || email === vote.by.toLowerCase())
  if (vote.auth === 'magic_link' && vote.asserted === true) {
    const lost = person !== undefined && !person.active
    return lost || asksWho(under.required) ? undefined : { ...vote, roles: [] }
  }
  if (vote.asserted === true || vote.auth === 'none' || person === undefined) return undefined
  if (!person.active || !person.may_decide) return undefined
  const via = under.people.find(({ id }) => id === vote.via)
  if (vote.via !== undefined) {
    if (!(via?.active && via.on_behalf) || !person.answering_accounts.includes(via.id)) return undefined
    // an account without known people behind it answers for no one
    if ((vote.behind ?? []).length === 0) return undefined
  }
  const approves = vote.decision === 'approve'
  if (approves && (enabledSince(person, under) ?? (via && enabledSince(via, under))) !== undefined) return undefined
  const { roles, delegations, ...rest } = vote
  return {
    ...rest,
    roles: both(roles, person.roles),
    delegations: (delegations ?? []).flatMap((lent) => {
      const lender = under.people.find(({ id }) => id === lent.of)
      if (!lender?.active || !lender.may_decide || lender.delegate_to !== vote.by) return []
      if (enabledSince(lender, under) !== undefined) return []
      return [{ of: lent.of, roles: both(lent.roles, lender.roles) }]
    }),
  }
}

/** A gate that requires an identity cannot be answered by a link, which any holder may use. */
function asksWho({ approvals, approval_roles, prevent_self }: Required): boolean {
  return approval_roles.length > 0 || prevent_self || approvals > 1
}

function both(then: readonly string[] | undefined, now: readonly string[]): string[] {
  return (then ?? []).filter((role) => now.includes(role))
}
