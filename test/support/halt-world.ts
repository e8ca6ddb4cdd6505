import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createAuthApi } from './auth-api.ts'
import { createTestDatabase } from './database.ts'
import { addWorkspace } from './tenants.ts'
import { addUser, bearer } from './users.ts'

export const HALTS = '/console/api/halts'
export const OTHER = 'ws_0000000000000000000000000b'
export const REASON = 'The database is being restored'

/** An API with authentication, a second workspace, and what sets and lifts halts there. */
export async function openHaltWorld(postgresUrl: string) {
  const database = await createTestDatabase(postgresUrl)
  await addWorkspace(database, OTHER, 'other')
  const api = await createAuthApi(database)
  return {
    ...{ database, api },
    as: async (roles: string[], workspaces: string[] = [DEFAULT_WORKSPACE_ID]) =>
      bearer(api.deps, await addUser(api.deps, { roles, workspaces })),
    set: (headers: Record<string, string>, scope: object = {}) => api.post(HALTS, { scope, reason: REASON }, headers),
    lift: (id: string, headers: Record<string, string>) =>
      api.app.request(`${HALTS}/${id}`, { method: 'DELETE', headers }),
    idOf: async (answer: Response) => HaltRecord.parse(await answer.json()).id,
    liftAll: () => database.db`update halts set lifted_at = now(), lifted_by = '{}' where lifted_at is null`,
    async close() {
      await api.close()
      await database.drop()
    },
  }
}
