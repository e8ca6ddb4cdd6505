import { z } from 'zod'
import { createLoginLimits } from '#api/rate-limit.ts'
import { createPasswords, type Passwords } from '#platform/password.ts'
import type { UserRow } from '#store/users.ts'
import { createTestApi } from './api-client.ts'
import type { TestDatabase } from './database.ts'
import { fileFixture } from './file-fixture.ts'
import { addUser, SECRET } from './users.ts'

const Problem = z.looseObject({ code: z.string() })

/** An API with authentication on, a clock of its own and a list of the hashes that passwords were verified against. */
export async function createAuthApi(database: TestDatabase) {
  let now = Date.now()
  const verified: string[] = []
  const api = await createTestApi(database, {
    secret: SECRET,
    passwords: listing(verified),
    services: { clock: () => now },
  })
  const send = async (method: string, path: string, body: string, headers: Record<string, string>) =>
    api.app.request(path, { method, body, headers })

  return {
    ...api,
    verified,
    wait: (ms: number) => {
      now += ms
    },
    /** nobody is remembered from the test before, nor what they tried */
    forget: () => {
      now += 5_001
      api.deps.logins = createLoginLimits()
    },
    patch: (path: string, body: unknown, headers: Record<string, string>) =>
      send('PATCH', path, JSON.stringify(body), { 'content-type': 'application/json', ...headers }),
    async signIn(fields: Record<string, string> | string, headers: Record<string, string> = {}) {
      const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const answer = await send('POST', '/token', body, { ...type, ...headers })
      await api.settled()
      return answer
    },
    owner: () => addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }),
    admin: () => addUser(api.deps, { roles: ['admin'], workspaces: ['*'] }),
    /** what is on record about a user, in order */
    async audited(user: Pick<UserRow, 'id'>) {
      const rows = await database.db<
        { draft: { action: string; category: string; actor: { id: string }; data: object } }[]
      >`select draft from audit_outbox where draft -> 'subject' ->> 'id' = ${user.id} order by id`
      return rows.map((row) => row.draft)
    },
  }
}

export type AuthApi = Awaited<ReturnType<typeof createAuthApi>>

/** An API with authentication on for the tests of a file. */
export const testAuthApi = (database: TestDatabase): AuthApi => fileFixture(() => createAuthApi(database))

/** Status and code of a refusal. */
export async function codeOf(answer: Response): Promise<[number, string]> {
  return [answer.status, Problem.parse(await answer.json()).code]
}

function listing(verified: string[]): Passwords {
  const real = createPasswords()
  return {
    ...real,
    verify: (hash, password) => {
      verified.push(hash)
      return real.verify(hash, password)
    },
  }
}
