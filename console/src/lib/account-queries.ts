import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from './api.ts'

export type Connection = Schema<'Connection'>

/** All that this person may see; there are at most 200. */
export const connectionsQuery = queryOptions({
  queryKey: ['connections'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/connections', { signal })),
})

/** as many as a page has at most */
const MAX = 200

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: async ({ signal }) => given(await api.GET('/workspaces', { params: { query: { limit: MAX } }, signal })),
})
