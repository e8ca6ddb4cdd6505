import { queryOptions } from '@tanstack/react-query'
import { api, given } from './api.ts'

/** as many as a page has at most */
const MOST = 200

export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: async ({ signal }) => given(await api.GET('/workspaces', { params: { query: { limit: MOST } }, signal })),
})
