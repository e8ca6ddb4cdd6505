import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Schema } from '../../../../client/create-client.ts'
import { api, given, yamlRequest } from '../../lib/api.ts'
import { cursorOf } from '../../lib/paging.ts'

export type Schedule = Schema<'Schedule'>
export type Rule = Schema<'ConsoleRule'>
export type TriedRule = Schema<'TriedRule'>
export type InboxItem = Schema<'InboxItem'>
export type DeliveryTrace = Schema<'DeliveryTrace'>
export type SkillStarter = Schema<'SkillStarter'>

const FRESH_MS = 5_000

export const schedulesQuery = infiniteQueryOptions({
  queryKey: ['schedules'],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ signal, pageParam }) => {
    const query = pageParam === undefined ? {} : { cursor: pageParam }
    const answer = await api.GET('/triggers/scheduled', { params: { query }, signal })
    return { items: given(answer), next: cursorOf(answer.response.headers) }
  },
  getNextPageParam: ({ next }) => next,
  refetchInterval: FRESH_MS,
})

export function firesQuery(id: string) {
  return queryOptions({
    queryKey: ['schedules', id, 'fires'],
    queryFn: async ({ signal }) =>
      given(await api.GET('/triggers/scheduled/{id}/fires', { params: { path: { id } }, signal })),
    refetchInterval: FRESH_MS,
  })
}

export type FireTimes = Pick<Schedule, 'cron' | 'timezone' | 'days'>

export function previewQuery({ cron, timezone, days }: FireTimes) {
  const query = { cron, timezone, ...(days !== undefined && { days }) }
  return queryOptions({
    queryKey: ['schedule-preview', query],
    queryFn: async ({ signal }) => given(await api.GET('/triggers/scheduled/preview', { params: { query }, signal })),
  })
}

export async function pauseOrResume({ id, etag, enabled }: Schedule) {
  const params = { path: { id }, header: { 'if-match': etag } }
  return given(await api.PATCH('/triggers/scheduled/{id}', { params, body: { enabled: !enabled } }))
}

export async function deleteSchedule({ id, etag }: Schedule): Promise<void> {
  await api.DELETE('/triggers/scheduled/{id}', { params: { path: { id }, header: { 'if-match': etag } } })
}

export const rulesQuery = queryOptions({
  queryKey: ['rules'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/triggers', { signal })),
})

export const startersQuery = queryOptions({
  queryKey: ['rules', 'starters'],
  queryFn: async ({ signal }) => given(await api.GET('/triggers/starters', { signal })),
  // every process follows a change within about a second
  refetchInterval: FRESH_MS,
})

export const skillsQuery = queryOptions({
  queryKey: ['skills'],
  queryFn: async ({ signal }) => given(await api.GET('/triggers/skills', { signal })),
  refetchInterval: FRESH_MS,
})

export function signedDeliveriesQuery(ingress: string) {
  return infiniteQueryOptions({
    queryKey: ['signed-deliveries', ingress],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...(ingress !== '' && { ingress }), ...(pageParam !== undefined && { cursor: pageParam }) }
      const answer = await api.GET('/triggers/deliveries', { params: { query }, signal })
      return { items: given(answer), next: cursorOf(answer.response.headers) }
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: FRESH_MS,
  })
}

export async function readRule(name: string): Promise<Rule> {
  return given(await api.GET('/ui/api/triggers/{name}', { params: { path: { name } } })) as Rule
}

export async function writeRule(name: string | undefined, text: string, etag: string | undefined) {
  if (name === undefined) return given(await api.POST('/ui/api/triggers', yamlRequest(text))) as Rule
  const params = { path: { name }, ...(etag !== undefined && { header: { 'if-match': etag } }) }
  return given(await api.PUT('/ui/api/triggers/{name}', { params, ...yamlRequest(text) })) as Rule
}

export async function deleteRule(name: string, etag: string): Promise<void> {
  await api.DELETE('/ui/api/triggers/{name}', { params: { path: { name }, header: { 'if-match': etag } } })
}

export function inboxQuery(status: string) {
  return infiniteQueryOptions({
    queryKey: ['inbox', status],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...(status !== '' && { status }), ...(pageParam !== undefined && { cursor: pageParam }) }
      const answer = await api.GET('/triggers/inbox', { params: { query }, signal })
      return { items: given(answer), next: cursorOf(answer.response.headers) }
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: FRESH_MS,
  })
}

export async function replay(id: string, mode: 'simulate' | 'force') {
  return given(await api.POST('/triggers/inbox/replay', { body: { ids: [id], mode } }))
}

/** The content of one delivery; the list leaves bodies out. */
export function sentQuery({ received_at, id }: InboxItem) {
  return queryOptions({
    queryKey: ['inbox', 'sent', id],
    queryFn: async ({ signal }) => {
      // a moment around its arrival
      const at = Date.parse(received_at)
      const query = { body: '1' as const, since: timeAt(at - 1), until: timeAt(at + 1_000), limit: 200 }
      const found = given(await api.GET('/triggers/inbox', { params: { query }, signal })).find(
        (each) => each.id === id,
      )
      return found ?? null
    },
  })
}

function timeAt(ms: number): string {
  return new Date(ms).toISOString()
}
