import { queryOptions } from '@tanstack/react-query'
import { ApiError, api, WORKSPACE_HEADER } from '../../lib/api.ts'
import { pagingOf } from '../../lib/paging.ts'
import type { Workspace } from '../admin/api.ts'
import { readRuns } from '../runs/api.ts'

const DAY_MS = 24 * 3_600_000
const FRESH_MS = 5_000
const ELSEWHERE_MS = 30_000

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

/** Those of these workspaces in which gates wait for the reader, with their numbers. */
export function waitingElsewhereQuery(workspaces: readonly Workspace[]) {
  return queryOptions({
    queryKey: ['home', 'elsewhere', workspaces.map(({ id }) => id)],
    queryFn: async ({ signal }) => {
      const counted = workspaces.map(async ({ id, name }) => ({ id, name, count: await waitingIn(id, signal) }))
      return (await Promise.all(counted)).filter(({ count }) => count !== '0')
    },
    enabled: workspaces.length > 0,
    refetchInterval: ELSEWHERE_MS,
  })
}

/** A workspace that the reader may no longer enter has nothing for them. */
async function waitingIn(workspace: string, signal: AbortSignal): Promise<string> {
  const params = { query: { awaiting_me: 'true', limit: 1 } } as const
  try {
    const { response } = await api.GET('/approvals', { params, headers: { [WORKSPACE_HEADER]: workspace }, signal })
    const { total, at_least } = pagingOf(response.headers)
    return total ?? (at_least === undefined ? '0' : `more than ${at_least}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return '0'
    throw error
  }
}
