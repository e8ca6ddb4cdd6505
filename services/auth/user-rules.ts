import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import { pointerParts } from '#core/json/json.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { beyondReach } from './known-people.ts'
import { mayEnter } from './may.ts'

type Rights = Pick<UserRow, 'roles' | 'workspaces'>

/** Throws for a user who also has workspaces outside the actor's: of them, only their place in the actor's own workspaces may change. */
export function mustBeWhollyWithin(actor: Actor, row: Pick<UserRow, 'workspaces'>): void {
  if (beyondReach(actor, row).length > 0)
    throw new DomainError(
      'forbidden',
      'This person also belongs to workspaces that are not yours: here you may change their `workspaces`, and nothing else. Ask an owner or admin of all of their workspaces.',
    )
}

/** Throws unless the actor may grant these rights, or change a user who has them. */
export function mustReach(actor: Actor, rights: Rights): void {
  if (rights.roles.includes('owner') && !actor.roles.includes('owner')) {
    throw new DomainError('forbidden', 'Only an owner makes or changes an owner.', { required_role: 'owner' })
  }
  const beyond = rights.workspaces.some((id) => (id === '*' ? actor.workspaces !== '*' : !mayEnter(actor, id)))
  if (beyond) throw new DomainError('forbidden', 'This reaches into workspaces that are not yours.')
}

/** Throws unless the rights make sense together. */
export function mustBeSound(rights: Rights): void {
  const everywhere = rights.workspaces.includes('*')
  const audits = rights.roles.every((role) => role === 'auditor')
  const above = rights.roles.includes('owner') || rights.roles.includes('admin') || audits
  if (everywhere && (rights.workspaces.length > 1 || !above)) {
    throw invalid(
      '/workspaces',
      '`*` must be the only one, and only for owners, admins, and auditors who have no other role',
    )
  }
}

/** Throws when no user who can sign in would remain owner of the account. */
export function mustLeaveAnOwner(current: UserRow, patch: UserPatch, otherOwners: number): void {
  const owns = (row: Pick<UserRow, 'roles' | 'status'>) => row.roles.includes('owner') && row.status === 'active'
  if (owns(current) && !owns({ ...current, ...patch }) && otherOwners === 0) {
    throw new DomainError('conflict', 'This is the last owner: make another one first.')
  }
}

/** A refusal of one field that a schema cannot see. */
export function invalid(pointer: string, msg: string): DomainError {
  const errors = [{ pointer, loc: pointerParts(pointer), msg, type: 'custom' }]
  return new DomainError('validation_failed', `body ${pointer}: ${msg}`, { errors })
}
