import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Route } from '#api/define-route.ts'
import { ProblemDocument } from '#api/schemas/problem.ts'
import type { Actor } from '#core/actor.ts'
import { Workspace } from '#core/workspace/schema.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { createTestApi, type TestApi } from './api-client.ts'
import { neededQuery } from './api-document.ts'
import { createTestDatabase } from './database.ts'
import { guardPolicies } from './guard-policies.ts'
import { guardBundles } from './pipeline-place.ts'

export interface WorkspaceWorld {
  api: TestApi
  /** who stands behind the requests from now on: the local owner with these changes */
  as(changes: Partial<Actor>): void
  /** one that nobody has */
  slug(): string
  make(fields?: Record<string, unknown>): Promise<Workspace>
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>
  unprotect(id: string): Promise<void>
  /** the actions of the audit about this workspace, in order */
  audited(id: string): Promise<string[]>
  close(): Promise<void>
}

/** An API behind which anybody can stand. */
export async function openWorkspaceWorld(postgresUrl: string): Promise<WorkspaceWorld> {
  const database = await createTestDatabase(postgresUrl)
  const home = mkdtempSync(join(tmpdir(), 'svc-workspaces-'))
  let actor: Actor = LOCAL_ACTOR
  let names = 0
  const api = await createTestApi(database, {
    auth: { enabled: true, actor: async () => actor, person: async () => actor },
    content: { policies: guardPolicies(), pipelines: guardBundles(home) },
  })
  const world: WorkspaceWorld = {
    api,
    as(changes) {
      actor = { ...LOCAL_ACTOR, ...changes }
    },
    slug() {
      names += 1
      return `ws-${names}`
    },
    async make(fields = {}) {
      const answer = await api.post('/workspaces', { slug: world.slug(), name: 'Some', ...fields })
      expect(answer.status).toBe(201)
      return Workspace.parse(await answer.json())
    },
    send: async (method, path, body, headers = {}) =>
      api.app.request(path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async unprotect(id) {
      expect((await world.send('PATCH', `/workspaces/${id}`, { protected: false })).status).toBe(200)
    },
    async audited(id) {
      const rows = await database.db<{ action: string; category: string }[]>`
        select draft ->> 'action' as action, draft ->> 'category' as category from audit_outbox
        where draft #>> '{subject,id}' = ${id} and draft ->> 'workspace_id' = ${id} order by id`
      expect(rows.every((row) => row.category === 'admin')).toBe(true)
      return rows.map((row) => row.action)
    },
    async close() {
      await api.close()
      await database.drop()
      rmSync(home, { recursive: true })
    },
  }
  return world
}

/** Status and code of a problem document. */
export const codeOf = async (answer: Response) => [answer.status, ProblemDocument.parse(await answer.json()).code]

/** The path of an operation with every parameter filled in, and with the query that it needs. */
export function addressOf({ path, operationId }: Pick<Route, 'path' | 'operationId'>, id: string): string {
  const filled = path
    .replace('{pack}', 'incident')
    .replace('{tpl}', 'service-recovery')
    .replace('{step}', 'act')
    .replace('{name}/explain', 'guard/explain')
    .replace('{name}', 'authored')
    .replace(/\{\w+\}/, id)
  const query = new URLSearchParams(neededQuery(operationId)).toString()
  return query === '' ? filled : `${filled}?${query}`
}
