import { queryOptions } from '@tanstack/react-query'
import type { Query } from '#client/create-client.ts'
import type { Schema } from '../../../../client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import { pagingOf } from '../../lib/paging.ts'
import { readSearch } from '../../lib/read-search.ts'
import { textQuery } from '../../lib/text.ts'

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
  const query = textQuery('/runs', { ...search, limit: PAGE, ...(cursor !== '' && { cursor }) })
  const answer = await api.GET('/runs', { params: { query }, signal })
  return { runs: given(answer), ...pagingOf(answer.response.headers) }
}

export async function readRun(id: string, signal: AbortSignal): Promise<Run> {
  return given(await api.GET('/runs/{id}', { params: { path: { id } }, signal }))
}

export function runQuery(id: string) {
  return queryOptions({ queryKey: ['run', id], queryFn: ({ signal }) => readRun(id, signal) })
}

export function stepsQuery(id: string) {
  return queryOptions({
    queryKey: ['run', id, 'steps'],
    queryFn: async ({ signal }) => given(await api.GET('/runs/{id}/steps', { params: { path: { id } }, signal })),
  })
}

/** Formats the user or trigger of a run or a pipeline in one line. */
export function requesterOf({ provenance }: Pick<Run, 'provenance'>): string {
  const { type } = fieldsOf(provenance['trigger'])
  const { display, id } = fieldsOf(provenance['actor'])
  return [type, display ?? id].filter((part) => typeof part === 'string' && part !== '').join(' · ')
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The filters of the list, in its address and in `GET /runs`. */
export const FILTERS = [
  'q',
  'status',
  'awaiting_me',
  'environment',
  'template',
  'pack',
  'trigger',
  'lane',
  'label',
  'since',
  'until',
] as const satisfies (keyof Query<'/runs'>)[]
export type Filter = (typeof FILTERS)[number]
export type RunsSearch = Partial<Record<Filter, string>>

export const readRunsSearch = (given: Record<string, unknown>): RunsSearch => readSearch(FILTERS, given)
