/** A person as decisions know him. */
export interface Person {
  id: string
  email: string
  display: string
  /** roles and approval roles together */
  roles: string[]
  workspaces: '*' | string[]
  active: boolean
}

/** The people there are, for decisions that name one; nobody is known while authentication is off. */
export interface People {
  /** by id or mail address */
  find(idOrEmail: string): Promise<Person | undefined>
  /** who is out of office now and has named this person as delegate, with the roles that are lent in this workspace */
  delegators(userId: string, workspaceId: string): Promise<{ of: string; roles: string[] }[]>
}

export const NOBODY: People = { find: async () => undefined, delegators: async () => [] }
