import type { Actor } from '#core/actor.ts'
import type { CommandBy } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { heldRoles } from '#core/user/held-roles.ts'
import { may, mayEnter, ON_BEHALF } from '../auth/may.ts'
import type { DecisionContext } from '../context.ts'

type Voter = Omit<CommandBy, 'signature'>
/** Somebody at a door, as far as their voice goes. */
export type WhoAsks = Pick<DecisionContext, 'actor' | 'channel' | 'open' | 'people' | 'workspace_id'>

/**
 * In whose name a decision counts. A token speaks for its own person; a service account that may act on behalf speaks for the
 * person whom it names, and both are stored. Where nobody's identity is checked, a name is an assertion.
 */
export async function whoDecides(ctx: WhoAsks, approver: string | undefined): Promise<Voter> {
  const { actor, channel } = ctx
  const asserted = actor.auth === 'none' || actor.auth === 'magic_link'
  if (asserted) {
    const by = ctx.open ? (approver ?? actor.id) : actor.id
    if (!ctx.open) refuseOther(actor, approver)
    const { roles, auth, type } = actor
    return { by, display: approver ?? actor.display, type, roles, channel, asserted: true, auth }
  }
  if (actor.type === 'service' && actor.scopes.includes(ON_BEHALF)) return await onBehalf(ctx, approver)
  refuseOther(actor, approver)
  if (!may(actor, 'approver'))
    throw new DomainError('approver_not_allowed', 'this takes the role approver or a higher one')
  return {
    by: actor.id,
    display: actor.display,
    type: actor.type,
    roles: heldRoles(actor),
    channel,
    asserted: false,
    auth: actor.auth,
    ...(await lent(ctx, actor.id)),
  }
}

async function onBehalf(ctx: WhoAsks, approver: string | undefined): Promise<Voter> {
  const { actor, channel } = ctx
  if (approver === undefined) {
    throw new DomainError('approver_not_allowed', 'a service account names the approver for whom it answers')
  }
  const person = await ctx.people.find(approver)
  if (!person?.active || !may({ roles: person.roles, scopes: [] }, 'approver') || !mayEnter(person, ctx.workspace_id)) {
    throw new DomainError('approver_not_allowed', 'nobody of that name may decide here')
  }
  const { id: by, display, roles } = person
  const known = { by, display, type: 'user', roles, channel, asserted: false, auth: actor.auth, via: actor.id } as const
  return { ...known, ...(await lent(ctx, by)) }
}

function refuseOther(actor: Actor, approver: string | undefined): void {
  if (approver === undefined || approver === actor.id || approver.toLowerCase() === actor.email) return
  throw new DomainError(
    'approver_not_allowed',
    'the approver is whoever is signed in; only a service account answers for others',
  )
}

/** The roles of those who are out of office and have named this person. */
async function lent(ctx: WhoAsks, userId: string): Promise<Pick<Voter, 'delegations'>> {
  const delegations = await ctx.people.delegators(userId, ctx.workspace_id)
  return delegations.length === 0 ? {} : { delegations }
}
