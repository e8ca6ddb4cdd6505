import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import type { RunsSearch } from './search.ts'

export type Run = Schema<'Run'>
export type RunStep = Schema<'RunStep'>

const PAGE = 50

export interface RunPart {
  runs: Run[]
  next: string | undefined
  total: string | undefined
  at_least: string | undefined
}

/** A part of the list of runs, from a cursor on. */
export async function readRuns(search: RunsSearch, cursor: string, signal: AbortSignal): Promise<RunPart> {
  // the API checks every value, and says in words what it does not take
  const query = { ...search, limit: PAGE, ...(cursor !== '' && { cursor }) } as never
  const answer = await api.GET('/runs', { params: { query }, signal })
  return { runs: given(answer) as Run[], ...pagingOf(answer.response.headers) }
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
  const { type } = fieldsOf(provenance['trigger'])
  const { display, id } = fieldsOf(provenance['actor'])
  return [type, display ?? id].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
