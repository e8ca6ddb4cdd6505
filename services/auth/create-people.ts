import { heldRoles } from '#core/user/held-roles.ts'
import type { UserRow, UserStore } from '#store/users.ts'
import { may, mayEnter } from './may.ts'
import type { People, Person } from './people.ts'
import { workspacesOf } from './user-actor.ts'

/** People from the users table. */
export function createPeople(users: Pick<UserStore, 'find' | 'findByEmail' | 'delegators'>): People {
  return {
    async find(idOrEmail) {
      const row = idOrEmail.includes('@')
        ? await users.findByEmail(idOrEmail.toLowerCase())
        : await users.find(idOrEmail)
      return row === undefined ? undefined : toPerson(row)
    },

    async delegators(userId, workspaceId) {
      const away = (await users.delegators(userId)).map(toPerson)
      return away
        .filter(
          (person) => person.active && may({ ...person, scopes: [] }, 'approver') && mayEnter(person, workspaceId),
        )
        .map(({ id, roles }) => ({ of: id, roles }))
    },
  }
}

function toPerson(row: UserRow): Person {
  return {
    id: row.id,
    email: row.email,
    display: row.display_name ?? row.email,
    roles: heldRoles(row),
    workspaces: workspacesOf(row),
    active: row.status === 'active',
  }
}
