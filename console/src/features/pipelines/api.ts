import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Query, Schema } from '../../../../client/create-client.ts'
import { api, given } from '../../lib/api.ts'
import { pagingOf } from '../../lib/paging.ts'
import { readSearch } from '../../lib/read-search.ts'
import { textQuery } from '../../lib/text.ts'

export type Pipeline = Schema<'Pipeline'>
export type PipelineStep = Pipeline['steps'][number]
export type PipelineBundle = Schema<'PipelineBundle'>
export type BundledPipeline = PipelineBundle['pipelines'][number]
export type PipelineConfig = Schema<'PipelineConfig'>

const PAGE = 50
const FRESH_MS = 3_000

export function pipelinesQuery(search: PipelinesSearch) {
  return infiniteQueryOptions({
    queryKey: ['pipelines', search],
    queryFn: async ({ pageParam, signal }) => {
      const asked = { ...search, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) }
      const answer = await api.GET('/pipelines', { params: { query: textQuery('/pipelines', asked) }, signal })
      return { pipelines: given(answer), ...pagingOf(answer.response.headers) }
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    refetchInterval: FRESH_MS,
  })
}

export function pipelineQuery(id: string) {
  return queryOptions({
    queryKey: ['pipelines', 'one', id],
    queryFn: async ({ signal }) => given(await api.GET('/pipelines/{id}', { params: { path: { id } }, signal })),
  })
}

/** Reloaded when the pipeline changes, or for another entry of its lists. */
export function pipelineConfigQuery({ id, updated_at }: Pick<Pipeline, 'id' | 'updated_at'>, entry: number) {
  return queryOptions({
    queryKey: ['pipelines', 'config', id, updated_at, entry],
    queryFn: async ({ signal }) =>
      given(await api.GET('/pipelines/{id}/config', { params: { path: { id }, query: { entry } }, signal })),
    placeholderData: keepPreviousData,
  })
}

export const bundlesQuery = queryOptions({
  queryKey: ['pipeline-bundles'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/pipeline-bundles', { signal })),
})

export async function advanceStep(id: string, step: string, note: string): Promise<Pipeline> {
  const body = note === '' ? {} : { note }
  return given(await api.POST('/pipelines/{id}/steps/{step}/advance', { params: { path: { id, step } }, body }))
}

export async function cancelPipeline(id: string, reason: string): Promise<Pipeline> {
  const body = reason === '' ? {} : { reason }
  return given(await api.POST('/pipelines/{id}/cancel', { params: { path: { id } }, body }))
}

/** The same key returns the same pipeline, however often it is sent. */
export async function startPipeline(body: Schema<'PipelineRequest'>, key: string): Promise<string> {
  const params = { header: { 'idempotency-key': key } }
  return given(await api.POST('/pipelines/run', { params, body })).pipeline_id
}

/** The filters of the list, in its address and in `GET /pipelines`. */
const FILTERS = ['status', 'name', 'environment'] as const satisfies (keyof Query<'/pipelines'>)[]
export type PipelinesSearch = Partial<Record<(typeof FILTERS)[number], string>>

export const readPipelinesSearch = (given: Record<string, unknown>): PipelinesSearch => readSearch(FILTERS, given)
