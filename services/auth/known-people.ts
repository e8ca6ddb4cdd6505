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
  /** who else has let them in or changed what they may do */
  changed_by: UserChanges
}

/** The people there are, for decisions that name one; nobody is known while authentication is off. */
export interface People {
  /** by id or mail address */
  find(idOrEmail: string): Promise<Person | undefined>
  /** who is out of office now and has named this person as delegate, with the roles that are lent in this workspace */
  delegators(userId: string, workspaceId: string): Promise<{ of: string; roles: string[]; changed_by: UserChanges }[]>
  /** the people behind a service account and the key that it shows */
  behind(account: { id: string; key?: { id: string } }): Promise<string[]>
}

export const NOBODY: People = { find: async () => undefined, delegators: async () => [], behind: async () => [] }

type Membership = Pick<UserRow, 'account_id' | 'workspaces'>

/** Whom the actor may know: people of their workspaces. */
export function circleOf({ account_id, workspaces }: Pick<Actor, 'account_id' | 'workspaces'>): UserCircle {
  return { account_id, workspaces }
}

/** Whether the actor shares a workspace with somebody. Somebody who may enter all of them is a member of each. */
export function knows({ account_id, workspaces }: UserCircle, row: Membership): boolean {
  if (row.account_id !== account_id) return false
  return workspaces === '*' || row.workspaces.some((id) => id === '*' || workspaces.includes(id))
}

/** The row, for an actor who may know it. Throws `not_found`, the same for somebody elsewhere as for nobody. */
export function mustKnow<Row extends Membership>(actor: UserCircle, row: Row | undefined): Row {
  if (row === undefined || !knows(actor, row)) throw new DomainError('not_found', 'nobody whom the caller may know')
  return row
}

/** Workspaces of somebody that the actor may not enter; `*` stands for all. */
export function beyondReach(actor: Pick<Actor, 'workspaces'>, { workspaces }: Pick<UserRow, 'workspaces'>): string[] {
  return actor.workspaces === '*' ? [] : workspaces.filter((id) => id === '*' || !mayEnter(actor, id))
}

/** Which of these ids may be named to the actor: all but those of users whom they may not know. */
export async function nameable(
  { actor, users }: { actor: Pick<Actor, 'account_id' | 'workspaces'>; users: Pick<UserStore, 'many'> },
  ids: readonly (string | null)[],
): Promise<(id: string | null) => boolean> {
  const asked = [...new Set(ids.filter((id) => id !== null))]
  const rows = actor.workspaces === '*' || asked.length === 0 ? [] : await users.many(asked)
  const hidden = new Set(rows.filter((row) => !knows(actor, row)).map(({ id }) => id))
  return (id) => id !== null && !hidden.has(id)
}
