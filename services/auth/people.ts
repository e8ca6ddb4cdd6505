import type { UserChanges } from '#core/gate/standing-votes.ts'

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
