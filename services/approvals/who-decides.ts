import type { Actor } from '#core/actor.ts'
import type { CommandBy } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import type { UserChanges } from '#core/gate/valid-votes.ts'
import { heldRoles } from '#core/user/schema.ts'
import { may, mayEnter, ON_BEHALF } from '../auth/may.ts'
import type { DecisionContext } from '../context.ts'
import type { VotePorts } from './current-votes.ts'

/** `changes`: by id, the users who have invited the voter, their account or a user who lends them roles, or changed their rights. */
export type Voter = Omit<CommandBy, 'signature'> & { changes?: Record<string, UserChanges> }
/** A user who may answer, with the rules for which answers count. */
export type WhoAsks = Pick<DecisionContext, 'actor' | 'channel' | 'people' | 'workspace_id'> & VotePorts

/**
 * Returns the user for whom a decision counts. A token acts for its own user; a service account with `approvals:on_behalf` acts for the
 * user it names, and both are stored; it has no vote of its own. While authentication is off, a name is an unchecked claim.
 */
export async function whoDecides(
  ctx: WhoAsks,
  approver: string | undefined,
  { votes = true }: { votes?: boolean } = {},
): Promise<Voter> {
  const { actor, channel } = ctx
  const asserted = actor.auth === 'none' || actor.auth === 'magic_link'
  if (asserted) {
    const by = ctx.open ? (approver ?? actor.id) : actor.id
    if (!ctx.open) refuseOther(actor, approver)
    const { roles, auth, type } = actor
    return { by, display: approver ?? actor.display, type, roles, channel, asserted: true, auth }
  }
  if (actor.type === 'service' && actor.scopes.includes(ON_BEHALF)) return await onBehalf(ctx, approver)
  // it would be a second vote of the one who made it
  if (actor.type === 'service' && votes)
    throw new DomainError(
      'approver_not_allowed',
      `a service account answers no gate in its own name, only for a person whom it names, with the scope ${ON_BEHALF}`,
    )
  refuseOther(actor, approver)
  if (!may(actor, 'approver'))
    throw new DomainError('approver_not_allowed', 'this takes the role approver or a higher one')
  const [person, { changes, ...delegated }] = await Promise.all([
    ctx.people.find(actor.id),
    delegatedRoles(ctx, actor.id),
  ])
  return {
    by: actor.id,
    display: actor.display,
    type: actor.type,
    roles: heldRoles(actor),
    channel,
    asserted: false,
    auth: actor.auth,
    ...delegated,
    changes: { ...changes, [actor.id]: person?.changed_by ?? {} },
  }
}

async function onBehalf(ctx: WhoAsks, approver: string | undefined): Promise<Voter> {
  const { actor, channel } = ctx
  if (approver === undefined) {
    throw new DomainError('approver_not_allowed', 'a service account names the approver for whom it answers')
  }
  const person = await ctx.people.find(approver)
  if (!person?.active || !may({ roles: person.roles, scopes: [] }, 'approver') || !mayEnter(person, ctx.workspace_id)) {
    throw new DomainError('approver_not_allowed', 'no user of that name may decide here')
  }
  if (!person.answering_accounts.includes(actor.id)) {
    throw new DomainError(
      'approver_not_allowed',
      `${person.display} has not named the service account ${actor.display} to answer for them: they do that themselves, on the page "You" of the console or with svc answering-accounts add ${actor.id}`,
    )
  }
  const [account, behind] = await Promise.all([ctx.people.find(actor.id), ctx.people.behind(actor)])
  if (behind.length === 0) {
    throw new DomainError(
      'approver_not_allowed',
      'the maker of this service account is unknown, so it can answer for no one; make another one',
    )
  }
  const { id: by, display, roles } = person
  const known = {
    by,
    display,
    type: 'user',
    roles,
    channel,
    asserted: false,
    auth: actor.auth,
    via: actor.id,
    behind,
  } as const
  const { changes, ...delegated } = await delegatedRoles(ctx, by)
  const own = { [by]: person.changed_by, [actor.id]: account?.changed_by ?? {} }
  return { ...known, ...delegated, changes: { ...changes, ...own } }
}

function refuseOther(actor: Actor, approver: string | undefined): void {
  if (approver === undefined || approver === actor.id || approver.toLowerCase() === actor.email) return
  throw new DomainError(
    'approver_not_allowed',
    'the approver is the signed-in user; only a service account answers for others',
  )
}

/** The roles of those who are out of office and have named this person. */
async function delegatedRoles(ctx: WhoAsks, userId: string): Promise<Pick<Voter, 'delegations' | 'changes'>> {
  const away = await ctx.people.delegators(userId, ctx.workspace_id)
  if (away.length === 0) return {}
  return {
    delegations: away.map(({ of, roles }) => ({ of, roles })),
    changes: Object.fromEntries(away.map(({ of, changed_by }) => [of, changed_by])),
  }
}
