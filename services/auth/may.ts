import { DomainError } from '#core/errors.ts'
import type { Actor } from '../context.ts'

/** Roles in rising order; each may do what those before it may. `service` is an operator that decides nothing by itself. */
export const ROLES = ['viewer', 'approver', 'operator', 'admin', 'owner', 'service'] as const
export type Role = (typeof ROLES)[number]

/** What a verb asks of its caller. */
export type Need = 'user' | 'approver' | 'operator' | 'admin' | 'owner'

/** A service account may answer gates for a person whom it names. */
export const ON_BEHALF = 'approvals:on_behalf'

const RANK: Record<Role, number> = { viewer: 1, approver: 2, operator: 3, service: 3, admin: 4, owner: 5 }
const NEEDS: Record<Need, number> = { user: 1, approver: 2, operator: 3, admin: 4, owner: 5 }

/** Whether the actor's roles suffice. */
export function may(actor: Pick<Actor, 'roles' | 'scopes'>, need: Need): boolean {
  const service = actor.roles.includes('service')
  if (need === 'approver' && service && actor.scopes.includes(ON_BEHALF)) return true
  // being a service decides nothing by itself, whatever smaller role stands beside it
  const counted = need === 'approver' ? actor.roles.filter((role) => role !== 'service') : actor.roles
  return Math.max(0, ...counted.map((role) => (isRole(role) ? RANK[role] : 0))) >= NEEDS[need]
}

/** Throws `forbidden` that names what is missing. */
export function mustBe(actor: Actor, need: Need): void {
  if (!may(actor, need)) {
    const what = need === 'user' ? 'a role' : `the role ${need}${need === 'owner' ? '' : ' or a higher one'}`
    throw new DomainError('forbidden', `This takes ${what}.`, { required_role: need })
  }
}

function isRole(name: string): name is Role {
  return ROLES.some((role) => role === name)
}

/** Whether the actor belongs to the workspace. */
export function mayEnter(actor: Pick<Actor, 'workspaces'>, workspaceId: string): boolean {
  return actor.workspaces === '*' || actor.workspaces.includes(workspaceId)
}
