import type { Actor } from '#core/actor.ts'
import type { KeyNeed } from '#core/api-key/scopes.ts'
import { DomainError } from '#core/errors.ts'
import { isRoleName, ROLE_RANKS, type RoleName } from '#core/user/schema.ts'

/** What a verb asks of its caller. */
export type Need = 'user' | Exclude<RoleName, 'viewer' | 'service'>

/** A service account may answer gates for a person whom it names. */
export const ON_BEHALF = 'approvals:on_behalf'

/** Whether the actor's roles suffice. */
export function may(actor: Pick<Actor, 'roles' | 'scopes'>, need: Need): boolean {
  const service = actor.roles.includes('service')
  if (need === 'approver' && service && actor.scopes.includes(ON_BEHALF)) return true
  // being a service decides nothing by itself, no matter what smaller role stands beside it
  const counted = need === 'approver' ? actor.roles.filter((role) => role !== 'service') : actor.roles
  return Math.max(0, ...counted.map((role) => (isRoleName(role) ? ROLE_RANKS[role] : 0))) >= rankOf(need)
}

/** Throws `forbidden` that names what is missing. */
export function mustBe(actor: Actor, need: Need): void {
  if (!may(actor, need)) {
    const what = need === 'user' ? 'a role' : `the role ${need}${need === 'owner' ? '' : ' or a higher one'}`
    throw new DomainError('forbidden', `This takes ${what}.`, { required_role: need })
  }
}

function rankOf(need: Need): number {
  return ROLE_RANKS[need === 'user' ? 'viewer' : need]
}

/** Whether the actor belongs to the workspace. */
export function mayEnter(actor: Pick<Actor, 'workspaces'>, workspaceId: string): boolean {
  return actor.workspaces === '*' || actor.workspaces.includes(workspaceId)
}

/** Throws unless the actor may enter every workspace: what it is about belongs to all of them. */
export function mustBeOfAll(actor: Pick<Actor, 'workspaces'>): void {
  if (actor.workspaces !== '*')
    throw new DomainError('forbidden', 'This belongs to all workspaces: ask an owner or admin of all of them.')
}

/** Whether what was shown suffices for an operation; the one who came without an API key needs no scope. */
export function holdsScope({ key }: Pick<Actor, 'key'>, need: KeyNeed): boolean {
  return key === undefined || need === 'any' || (need !== 'never' && key.scopes.includes(need))
}

/** Throws `forbidden` that names the scope that is missing. */
export function mustHoldScope(actor: Pick<Actor, 'key'>, need: KeyNeed): void {
  if (holdsScope(actor, need)) return
  if (need === 'never')
    throw new DomainError('forbidden', 'No API key does for this: it takes somebody who signs in.', {
      required_scope: 'none',
    })
  throw new DomainError('forbidden', `This API key lacks the scope ${need}.`, { required_scope: need })
}
