import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import type { RunsSearch } from './search.ts'

export type Run = Schema<'Run'>
export type RunStep = Schema<'RunStep'>

const FRESH_MS = 3_000
const PAGE = 50

/** A page of runs, asked again while it is looked at. */
export function runsQuery(search: RunsSearch) {
  return queryOptions({
    queryKey: ['runs', search],
    queryFn: async ({ signal }) => {
      // the API checks every value, and says in words what it does not take
      const answer = await api.GET('/runs', { params: { query: { ...search, limit: PAGE } as never }, signal })
      return { runs: given(answer) as Run[], ...pagingOf(answer.response.headers) }
    },
    refetchInterval: FRESH_MS,
    placeholderData: keepPreviousData,
  })
}

export function pagingOf(headers: Headers) {
  const next = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1]
  return {
    next:
      next === undefined ? undefined : (new URLSearchParams(next.slice(next.indexOf('?'))).get('cursor') ?? undefined),
    total: headers.get('x-total-count') ?? undefined,
    at_least: headers.get('x-total-at-least') ?? undefined,
  }
}

export function runQuery(id: string) {
  return queryOptions({
    queryKey: ['run', id],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}', { params: { path: { id } }, signal })) as Run,
  })
}

export function stepsQuery(id: string) {
  return queryOptions({
    queryKey: ['run', id, 'steps'],
    queryFn: async ({ signal }) =>
      given(await api.GET('/runs/{id}/steps', { params: { path: { id } }, signal })) as RunStep[],
  })
}

/** Who or what started a run, in one line. */
export function requesterOf({ provenance }: Pick<Run, 'provenance'>): string {
  const kind = String(provenance['kind'] ?? '')
  const requester = provenance['requester']
  const { display, email, id } = (typeof requester === 'object' && requester !== null ? requester : {}) as Record<
    string,
    unknown
  >
  return [kind, display ?? email ?? id].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}
