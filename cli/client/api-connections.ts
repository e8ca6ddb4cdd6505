import type { operations } from '#client/api.generated.ts'
import type { createClient } from '#client/create-client.ts'
import { bodyOf, done, once } from './api-answers.ts'

type Body<
  Name extends
    | 'acceptConnectionTool'
    | 'discoverConnectionTools'
    | 'authorizeConnection'
    | 'createConnection'
    | 'updateConnection'
    | 'testConnection',
> = NonNullable<operations[Name]['requestBody']>['content']['application/json']

export type ConnectionDraft = Body<'createConnection'>
export type ConnectionEdit = Body<'updateConnection'>

/** Calls of the API about connections, and about the environments that have names for them. */
export function createApiConnections(client: ReturnType<typeof createClient>) {
  const at = (id: string, etag?: string) => ({
    params: { path: { id }, header: etag === undefined ? {} : { 'if-match': etag } },
  })
  return {
    connections: () => bodyOf(client.GET('/ui/api/connections')),
    connection: (id: string) => bodyOf(client.GET('/ui/api/connections/{id}', { params: { path: { id } } })),
    authorizeConnection: (id: string, body: Body<'authorizeConnection'>) =>
      bodyOf(client.POST('/ui/api/connections/{id}/oauth/start', { params: { path: { id } }, body })),
    connectionTools: (id: string) => bodyOf(client.GET('/ui/api/connections/{id}/tools', { params: { path: { id } } })),
    discoverConnectionTools: (id: string, body: Body<'discoverConnectionTools'>) =>
      bodyOf(client.POST('/ui/api/connections/{id}/tools', { params: { path: { id } }, body })),
    acceptConnectionTool: (id: string, name: string, body: Body<'acceptConnectionTool'>) =>
      bodyOf(client.POST('/ui/api/connections/{id}/tools/{name}/accept', { params: { path: { id, name } }, body })),
    withdrawConnectionTool: (id: string, name: string) =>
      bodyOf(client.POST('/ui/api/connections/{id}/tools/{name}/withdraw', { params: { path: { id, name } } })),
    connectionKinds: () => bodyOf(client.GET('/ui/api/connection-kinds')),
    testConnection: (body: Body<'testConnection'>) => bodyOf(client.POST('/ui/api/connections/test', { body })),
    createConnection: (body: ConnectionDraft) =>
      once((header) => bodyOf(client.POST('/ui/api/connections', { params: { header }, body }))),
    updateConnection: (id: string, etag: string | undefined, body: ConnectionEdit) =>
      bodyOf(client.PATCH('/ui/api/connections/{id}', { ...at(id, etag), body })),
    deleteConnection: (id: string, etag: string) => done(client.DELETE('/ui/api/connections/{id}', at(id, etag))),
    environments: () => bodyOf(client.GET('/ui/api/environments')),
    /** the text of its document, comments kept */
    saveEnvironment: (name: string, etag: string, text: string) =>
      bodyOf(
        client.PUT('/ui/api/environments/{name}', {
          params: { path: { name }, header: { 'if-match': etag } },
          headers: { 'content-type': 'text/yaml' },
          body: text as never,
          bodySerializer: String,
        }),
      ),
  }
}
