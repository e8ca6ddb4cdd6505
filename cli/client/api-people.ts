import type { createClient, Schema } from '#client/create-client.ts'
import { bodyOf, done, once } from './api-answers.ts'

/** Calls of the API about people, their keys and their workspaces. */
export function createApiPeople(client: ReturnType<typeof createClient>) {
  return {
    answeringAccounts: () => bodyOf(client.GET('/auth/me/answering-accounts')),
    addAnsweringAccount: (id: string) =>
      done(client.PUT('/auth/me/answering-accounts/{id}', { params: { path: { id } } })),
    removeAnsweringAccount: (id: string) =>
      done(client.DELETE('/auth/me/answering-accounts/{id}', { params: { path: { id } } })),
    // without a key of its own: its answer would be kept, and the secret with it
    createApiKey: (body: Schema<'ApiKeyDraft'>) => bodyOf(client.POST('/admin/api-keys', { body })),
    revokeApiKey: (id: string) => done(client.DELETE('/admin/api-keys/{id}', { params: { path: { id } } })),
    // without a key of its own: its answer would be kept, and the token with it
    inviteUser: (body: Schema<'UserInvite'>) => bodyOf(client.POST('/admin/users', { body })),
    changeUser: (id: string, etag: string | undefined, body: Schema<'UserEdit'>) =>
      bodyOf(client.PATCH('/admin/users/{id}', { params: { path: { id }, header: ifMatch(etag) }, body })),
    createWorkspace: (body: Schema<'WorkspaceDraft'>) =>
      once((header) => bodyOf(client.POST('/workspaces', { params: { header }, body }))),
    changeWorkspace: (id: string, etag: string, body: Schema<'WorkspaceEdit'>) =>
      bodyOf(client.PATCH('/workspaces/{id}', { params: { path: { id }, header: ifMatch(etag) }, body })),
  }
}

function ifMatch(etag: string | undefined): { 'if-match'?: string } {
  return etag === undefined ? {} : { 'if-match': etag }
}
