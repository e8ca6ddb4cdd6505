import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Schema } from '../../../../client/create-client.ts'
import { ApiError, api, given, send, WORKSPACE_HEADER } from '../../lib/api.ts'
import { cursorOf } from '../../lib/paging.ts'
import { API_URL } from '../../lib/places.ts'

export type User = Schema<'User'>
export type ApiKey = Schema<'ApiKey'>
export type Workspace = Schema<'Workspace'>
export type Halt = Schema<'Halt'>
export type Channel = Schema<'ChannelRecord'>
export type Setting = Schema<'SettingRecord'>
export type Health = Schema<'HealthReport'>

const FRESH_MS = 5_000
const PAGE = 100

export const usersQuery = infiniteQueryOptions({
  queryKey: ['users'],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ signal, pageParam }) => {
    const query = { limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }
    const answer = await api.GET('/admin/users', { params: { query }, signal })
    return { items: given(answer), next: cursorOf(answer.response.headers) }
  },
  getNextPageParam: ({ next }) => next,
})

export const keysQuery = infiniteQueryOptions({
  queryKey: ['api-keys'],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ signal, pageParam }) => {
    const query = { limit: PAGE, ...(pageParam !== undefined && { cursor: pageParam }) }
    const answer = await api.GET('/admin/api-keys', { params: { query }, signal })
    return { items: given(answer), next: cursorOf(answer.response.headers) }
  },
  getNextPageParam: ({ next }) => next,
})

/** The environments that a workspace may use. */
export function environmentsOfQuery(workspace: string) {
  return queryOptions({
    queryKey: ['workspaces', workspace, 'environments'],
    queryFn: async ({ signal }) =>
      given(await api.GET('/ui/api/environments', { headers: { [WORKSPACE_HEADER]: workspace }, signal })),
  })
}

export const haltsQuery = queryOptions({
  queryKey: ['halts'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/halts', { signal })),
  refetchInterval: FRESH_MS,
})

/** Also those lifted lately, which may have refused starts. */
export const haltsAndLiftedQuery = queryOptions({
  queryKey: ['halts', 'lifted'],
  queryFn: async ({ signal }) =>
    given(await api.GET('/console/api/halts', { params: { query: { lifted: 'true' } }, signal })),
  refetchInterval: FRESH_MS,
})

export async function liftHalt(id: string): Promise<void> {
  await api.DELETE('/console/api/halts/{id}', { params: { path: { id } } })
}

export type RefusedStart = Schema<'RefusedStart'>

/** What a halt has refused, also after it was lifted. */
export function refusedQuery(id: string) {
  return queryOptions({
    queryKey: ['halts', id, 'refused'],
    queryFn: async ({ signal }) =>
      given(
        await api.GET('/console/api/halts/{id}/refused', { params: { path: { id }, query: { limit: PAGE } }, signal }),
      ),
    refetchInterval: FRESH_MS,
  })
}

/** Sends the request that starts what a halt has refused, in the workspace where it was refused. */
export async function startRefused(
  { id, workspace_id }: Pick<RefusedStart, 'id' | 'workspace_id'>,
  { method, path, body }: NonNullable<RefusedStart['start']>,
): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': `refused.${id}`,
    [WORKSPACE_HEADER]: workspace_id,
  }
  await send(new Request(`${API_URL}${path}`, { method, headers, body: JSON.stringify(body) }))
}

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/channels', { signal })),
})

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/settings', { signal })),
})

export type Delivery = Schema<'NoticeDelivery'>

export function deliveriesQuery(state: string) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', state],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...(state !== '' && { state }), ...(pageParam !== undefined && { cursor: pageParam }) }
      const answer = await api.GET('/deliveries', { params: { query }, signal })
      return { items: given(answer), next: cursorOf(answer.response.headers) }
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: FRESH_MS,
  })
}

/** A degraded health has status 503, and is what the page shows. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }): Promise<Health> => {
    try {
      return given(await api.GET('/healthz', { params: { query: { verbose: '1' } }, signal }))
    } catch (error) {
      if (error instanceof ApiError && error.status === 503 && isReport(error.body)) return error.body
      throw error
    }
  },
  refetchInterval: FRESH_MS,
})

function isReport(body: unknown): body is Health {
  return typeof body === 'object' && body !== null && 'checks' in body
}
