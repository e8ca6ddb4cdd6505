import type { Actor } from '#core/actor.ts'
import type { KeyNeed } from '#core/api-key/scopes.ts'
import { DomainError } from '#core/errors.ts'
import { visible } from '#core/text/visible-text.ts'
import { isRoleName, ROLE_RANKS, type RoleName } from '#core/user/schema.ts'

/** A verb's requirement on its caller; `user` is anybody with a role. */
export type Need = 'user' | Exclude<RoleName, 'service' | 'auditor'>

const NO_ROLE = -1

/** Lets a service account answer gates for a person whom it names. */
export const ON_BEHALF = 'approvals:on_behalf'

/** Tells whether the actor's roles suffice. */
export function may(actor: Pick<Actor, 'roles' | 'scopes'>, need: Need): boolean {
  const service = actor.roles.includes('service')
  if (need === 'approver' && service && actor.scopes.includes(ON_BEHALF)) return true
  // the role `service` alone gives no right to approve; for any other need it counts by its rank
  const counted = need === 'approver' ? actor.roles.filter((role) => role !== 'service') : actor.roles
  return Math.max(NO_ROLE, ...counted.map((role) => (isRoleName(role) ? ROLE_RANKS[role] : NO_ROLE))) >= rankOf(need)
}

/** Throws `forbidden` with the missing right. */
export function mustBe(actor: Actor, need: Need): void {
  if (!may(actor, need)) {
    const what = need === 'user' ? 'a role' : `the role ${need}${need === 'owner' ? '' : ' or a higher one'}`
    throw new DomainError('forbidden', `This takes ${what}.`, { required_role: need })
  }
}

function rankOf(need: Need): number {
  return need === 'user' ? ROLE_RANKS.auditor : ROLE_RANKS[need]
}

/** Tells whether the actor may read lists that otherwise need a higher role: people, keys, channels, settings and deliveries. */
export function readsRecords(actor: Pick<Actor, 'roles'>): boolean {
  return actor.roles.includes('auditor')
}

/** Tells whether the actor is shown mail addresses beside the names of people. */
export function seesAddresses(actor: Pick<Actor, 'roles' | 'scopes'>): boolean {
  return may(actor, 'approver') || readsRecords(actor)
}

/** Returns a person's name as the actor may see it. People without a name of their own are called by their mail address. */
export function nameFor(actor: Pick<Actor, 'roles' | 'scopes'>, name: string | null): string | undefined {
  return name === null || (name.includes('@') && !seesAddresses(actor)) ? undefined : visible(name)
}

/** Tells whether the actor belongs to the workspace. */
export function mayEnter(actor: Pick<Actor, 'workspaces'>, workspaceId: string): boolean {
  return actor.workspaces === '*' || actor.workspaces.includes(workspaceId)
}

/** Throws unless the actor may enter every workspace, for objects that belong to all. */
export function mustBeOfAll(actor: Pick<Actor, 'workspaces'>): void {
  if (actor.workspaces !== '*')
    throw new DomainError('forbidden', 'This belongs to all workspaces: ask an owner or admin of all of them.')
}

/** Tells whether a request's API key has the scope of an operation; a request without a key needs none. */
export function holdsScope({ key }: Pick<Actor, 'key'>, need: KeyNeed): boolean {
  return key === undefined || need === 'any' || (need !== 'never' && key.scopes.includes(need))
}

/** Throws `forbidden` that names the scope that is missing. */
export function mustHoldScope(actor: Pick<Actor, 'key'>, need: KeyNeed): void {
  if (holdsScope(actor, need)) return
  if (need === 'never')
    throw new DomainError('forbidden', 'An API key cannot do this: it needs a signed-in user.', {
      required_scope: 'none',
    })
  throw new DomainError('forbidden', `This API key lacks the scope ${need}.`, { required_scope: need })
}
