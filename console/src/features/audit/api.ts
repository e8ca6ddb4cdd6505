import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { ApiError, api, given } from '../../lib/api.ts'
import { pagingOf } from '../../lib/paging.ts'
import { textQuery } from '../../lib/text.ts'
import { type AuditRecord, canVerify, verifySlice } from '../../lib/verify-slice.ts'
import type { AuditSearch } from './filters.ts'

const PAGE = 100
const MAX_AT_ONCE = 200
/** More of one run is not computed at once. */
export const MAX_OF_RUN = 5_000

async function readPage(search: AuditSearch & { cursor?: string | undefined; limit: number }, signal: AbortSignal) {
  const query = textQuery('/console/api/audit', search)
  const answer = await api.GET('/console/api/audit', { params: { query }, signal })
  const records = given(answer)
  if (typeof records === 'string') throw new ApiError(0, 'unknown', 'The API answered with a text in place of records.')
  return { records, ...pagingOf(answer.response.headers) }
}

/** The records that match, newest first, page by page. */
export function auditQuery(search: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: ({ pageParam, signal }) =>
      readPage({ ...search, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
}

/** All that match as the API writes them for spreadsheets. */
export async function readCsv(search: AuditSearch): Promise<Blob> {
  const query = textQuery('/console/api/audit', { ...search, format: 'csv' })
  return given(await api.GET('/console/api/audit', { params: { query }, parseAs: 'blob' }))
}

export const checkpointQuery = queryOptions({
  queryKey: ['audit-checkpoint'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/audit/checkpoint', { signal })),
})

/** The records of a run in the order of the chain, and this browser's verification. */
export function sliceQuery(run_id: string) {
  return queryOptions({
    queryKey: ['audit-slice', run_id],
    queryFn: async ({ signal }) => {
      const records: AuditRecord[] = []
      let cursor: string | undefined
      do {
        const page = await readPage({ run_id, limit: MAX_AT_ONCE, ...(cursor !== undefined && { cursor }) }, signal)
        records.push(...page.records)
        cursor = page.next
      } while (cursor !== undefined && records.length < MAX_OF_RUN)
      records.sort((one, other) => one.seq - other.seq)
      return { records, cut: cursor !== undefined, verdict: canVerify() ? await verifySlice(records, run_id) : null }
    },
  })
}
