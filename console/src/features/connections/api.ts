import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import type { Connection } from '../../lib/account-queries.ts'
import { api, given } from '../../lib/api.ts'

export type { Connection }
export type KindForm = Schema<'ConnectionForm'>
export type Auth = Connection['auth']

/** What is written of a connection; without a secret the stored one stays. */
export interface Written extends Pick<Connection, 'auth' | 'config' | 'workspaces'> {
  secret?: string
}

/** What is tested; a stored connection keeps what was found where no other member changes it. */
export interface TestRequest extends Partial<Pick<Written, 'auth' | 'config' | 'secret'>> {
  id?: string
  kind?: Connection['kind']
  environment?: string
}

export type TestResult = Schema<'ConnectionTestResult'>

export const kindsQuery = queryOptions({
  queryKey: ['connection-kinds'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/connection-kinds', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
})

export async function readConnection(id: string): Promise<Connection> {
  return given(await api.GET('/ui/api/connections/{id}', { params: { path: { id } } }))
}

/** With its uses by day, which the list does not have. */
export const connectionQuery = (id: string) =>
  queryOptions({ queryKey: ['connections', id], queryFn: () => readConnection(id) })

export type Tool = Schema<'McpTool'>

export const toolsQuery = (id: string) =>
  queryOptions({
    queryKey: ['connections', id, 'tools'],
    queryFn: async () => given(await api.GET('/ui/api/connections/{id}/tools', { params: { path: { id } } })),
  })

export async function discoverTools(id: string, environment: string | undefined): Promise<Schema<'McpToolsFound'>> {
  const body = environment === undefined ? {} : { environment }
  return given(await api.POST('/ui/api/connections/{id}/tools', { params: { path: { id } }, body }))
}

/** As it is shown: a definition that has changed meanwhile is refused. */
export async function acceptTool(
  id: string,
  { name, definition_digest }: Tool,
  effect: 'read' | 'write',
): Promise<Tool> {
  const params = { path: { id, name } }
  const body = { definition_digest, effect }
  return given(await api.POST('/ui/api/connections/{id}/tools/{name}/accept', { params, body }))
}

export async function withdrawTool(id: string, { name }: Tool): Promise<Tool> {
  const params = { path: { id, name } }
  return given(await api.POST('/ui/api/connections/{id}/tools/{name}/withdraw', { params }))
}

export async function createConnection(body: Written & Pick<Connection, 'name' | 'kind'>): Promise<Connection> {
  return given(await api.POST('/ui/api/connections', { body }))
}

export async function changeConnection(
  id: string,
  etag: string | undefined,
  body: Partial<Written>,
): Promise<Connection> {
  const params = { path: { id }, ...(etag !== undefined && { header: { 'if-match': etag } }) }
  return given(await api.PATCH('/ui/api/connections/{id}', { params, body }))
}

export async function deleteConnection({ id, etag }: Pick<Connection, 'id' | 'etag'>): Promise<void> {
  await api.DELETE('/ui/api/connections/{id}', { params: { path: { id }, header: { 'if-match': etag } } })
}

/** A failed test is an answer too. */
export async function testConnection(body: TestRequest): Promise<TestResult> {
  return given(await api.POST('/ui/api/connections/test', { body }))
}

/** The page of the provider on which a person consents; it leads back to this browser. */
export async function startAuthorization(id: string, environment: string | undefined): Promise<string> {
  const body = environment === undefined ? {} : { environment }
  const answer = await api.POST('/ui/api/connections/{id}/oauth/start', { params: { path: { id } }, body })
  return given(answer).authorization_url
}
