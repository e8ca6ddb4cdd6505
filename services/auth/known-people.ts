import type { Actor } from '#core/actor.ts'
import { DomainError } from '#core/errors.ts'
import type { UserChanges } from '#core/gate/valid-votes.ts'
import type { UserCircle, UserRow, UserStore } from '#store/users.ts'
import { mayEnter } from './may.ts'

/** A person as decisions know him. */
export interface Person {
  id: string
  email: string
  display: string
  /** roles and approval roles together */
  roles: string[]
  workspaces: '*' | string[]
  active: boolean
  /** service accounts that may answer for them */
  answering_accounts: string[]
  /** other users who have invited them or changed their rights */
  changed_by: UserChanges
}

/** Looks users up, for decisions that name one; without authentication there are none. */
export interface People {
  /** by id or mail address */
  find(idOrEmail: string): Promise<Person | undefined>
  /** the users among these ids, by one read */
  many(ids: readonly string[]): Promise<Person[]>
  /** ids of those whose id, name or mail address has this part; without `addresses` only a whole mail address counts */
  named(circle: UserCircle, part: string, seen: { addresses: boolean }): Promise<string[]>
  /** users who are away and have named this person as delegate, with the roles that they lend in this workspace */
  delegators(userId: string, workspaceId: string): Promise<{ of: string; roles: string[]; changed_by: UserChanges }[]>
  /** the people behind a service account and the key that it shows */
  behind(account: { id: string; key?: { id: string } }): Promise<string[]>
}

export const NOBODY: People = {
  find: async () => undefined,
  many: async () => [],
  named: async () => [],
  delegators: async () => [],
  behind: async () => [],
}

type Membership = Pick<UserRow, 'account_id' | 'workspaces'>

/** Returns the workspaces whose people the actor may see. */
export function circleOf({ account_id, workspaces }: Pick<Actor, 'account_id' | 'workspaces'>): UserCircle {
  return { account_id, workspaces }
}

/** Tells whether the actor shares a workspace with a user. A user who may enter all workspaces is a member of each. */
export function knows({ account_id, workspaces }: UserCircle, row: Membership): boolean {
  if (row.account_id !== account_id) return false
  return workspaces === '*' || row.workspaces.some((id) => id === '*' || workspaces.includes(id))
}

/** Returns the row, if the actor may see it. Throws `not_found`, the same for a foreign user as for an unknown one. */
export function mustKnow<Row extends Membership>(actor: UserCircle, row: Row | undefined): Row {
  if (row === undefined || !knows(actor, row)) throw new DomainError('not_found', 'no user whom the caller may see')
  return row
}

/** Returns a user's workspaces that the actor may not enter; `*` means all. */
export function beyondReach(actor: Pick<Actor, 'workspaces'>, { workspaces }: Pick<UserRow, 'workspaces'>): string[] {
  return actor.workspaces === '*' ? [] : workspaces.filter((id) => id === '*' || !mayEnter(actor, id))
}

/** Returns a test that tells which of these ids the actor may be shown: all but those of users whom they may not see. */
export async function visibilityOf(
  { actor, users }: { actor: Pick<Actor, 'account_id' | 'workspaces'>; users: Pick<UserStore, 'many'> },
  ids: readonly (string | null)[],
): Promise<(id: string | null) => boolean> {
  const asked = [...new Set(ids.filter((id) => id !== null))]
  const rows = actor.workspaces === '*' || asked.length === 0 ? [] : await users.many(asked)
  const hidden = new Set(rows.filter((row) => !knows(actor, row)).map(({ id }) => id))
  return (id) => id !== null && !hidden.has(id)
}
