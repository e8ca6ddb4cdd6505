import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Query, Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import { pagingOf } from '../../lib/paging.ts'
import { readSearch } from '../../lib/read-search.ts'
import { textQuery } from '../../lib/text.ts'

export type RemoteJob = Schema<'RemoteJob'>
export type RemoteJobDetail = Schema<'RemoteJobDetail'>

/** An open job is asked for as often as this. */
const OPEN_MS = 5_000
const PAGE = 50

/** The filters of the list, in its address and in `GET /console/api/remote-jobs`. */
const FILTERS = ['state', 'queue'] as const satisfies (keyof Query<'/console/api/remote-jobs'>)[]
export type RemoteJobsSearch = Partial<Record<(typeof FILTERS)[number], string>>
export const readRemoteJobsSearch = (given: Record<string, unknown>): RemoteJobsSearch => readSearch(FILTERS, given)

export function remoteJobListQuery(search: RemoteJobsSearch) {
  return infiniteQueryOptions({
    queryKey: ['remote-jobs', search],
    queryFn: async ({ pageParam, signal }) => {
      const asked = { ...search, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) }
      const query = textQuery('/console/api/remote-jobs', asked)
      const answer = await api.GET('/console/api/remote-jobs', { params: { query }, signal })
      return { jobs: given(answer), ...pagingOf(answer.response.headers) }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: OPEN_MS,
  })
}

export function remoteJobsOfRunQuery(run_id: string) {
  return queryOptions({
    queryKey: ['run', run_id, 'remote-jobs'],
    queryFn: async ({ signal }) =>
      given(await api.GET('/console/api/remote-jobs', { params: { query: { run_id, limit: 200 } }, signal })),
    refetchInterval: ({ state }) => (state.data?.some(({ ended_at }) => ended_at === null) ? OPEN_MS : false),
  })
}

export function remoteJobQuery(id: string) {
  return queryOptions({
    queryKey: ['remote-jobs', 'one', id],
    queryFn: async ({ signal }) =>
      given(await api.GET('/console/api/remote-jobs/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state }) => (state.data?.ended_at ? false : OPEN_MS),
  })
}
