import { queryOptions } from '@tanstack/react-query'
import { readRuns } from '../runs/api.ts'

const DAY_MS = 24 * 3_600_000
const FRESH_MS = 5_000

/** Runs that failed in the last day, or that are under way, newest first. */
export function listQuery(status: 'failed' | 'running') {
  return queryOptions({
    queryKey: ['home', status],
    queryFn: async ({ signal }) => {
      const since = status === 'failed' ? { since: new Date(Date.now() - DAY_MS).toISOString() } : {}
      return (await readRuns({ status, ...since }, '', signal)).runs
    },
    refetchInterval: FRESH_MS,
  })
}
