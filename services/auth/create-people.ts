import { behind } from '#core/gate/contributors.ts'
import { heldRoles } from '#core/user/schema.ts'
import type { UserRow, UserStore } from '#store/users.ts'
import { knows, type People, type Person } from './known-people.ts'
import { may, mayEnter } from './may.ts'
import { workspacesOf } from './user-record.ts'

export function createPeople(
  users: Pick<UserStore, 'find' | 'findByEmail' | 'many' | 'idsNamed' | 'delegators' | 'makers'>,
): People {
  return {
    async find(idOrEmail) {
      const row = idOrEmail.includes('@')
        ? await users.findByEmail(idOrEmail.toLowerCase())
        : await users.find(idOrEmail)
      return row === undefined ? undefined : toPerson(row)
    },

    many: async (ids) => (ids.length === 0 ? [] : (await users.many(ids)).map(toPerson)),

    async named(circle, part, seen) {
      const ids = await users.idsNamed(circle, part, seen)
      const owner = part.includes('@') ? await users.findByEmail(part.toLowerCase()) : undefined
      return owner === undefined || !knows(circle, owner) ? ids : [...new Set([...ids, owner.id])]
    },

    async delegators(userId, workspaceId) {
      const away = (await users.delegators(userId)).map(toPerson)
      return away
        .filter(
          (person) =>
            person.active &&
            !person.roles.includes('service') &&
            may({ ...person, scopes: [] }, 'approver') &&
            mayEnter(person, workspaceId),
        )
        .map(({ id, roles, changed_by }) => ({ of: id, roles, changed_by }))
    },

    behind: (account) => peopleBehind(users, account),
  }
}

/** Returns the people, and their accounts, behind a service account and its key. */
export async function peopleBehind(
  users: Pick<UserStore, 'makers'>,
  { id, key }: { id: string; key?: { id: string } },
): Promise<string[]> {
  const ids = [id, ...(key === undefined ? [] : [key.id])]
  return [...new Set(behind(ids, await users.makers(ids)).map((each) => each.id))]
}

function toPerson(row: UserRow): Person {
  return {
    id: row.id,
    email: row.email,
    display: row.display_name ?? row.email,
    roles: heldRoles(row),
    workspaces: workspacesOf(row),
    active: row.status === 'active',
    answering_accounts: row.answering_accounts,
    changed_by: row.changed_by,
  }
}
