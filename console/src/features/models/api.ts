import { queryOptions } from '@tanstack/react-query'
import type { Query, Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'

export type RegisteredModel = Schema<'RegisteredModel'>
export type Roles = Schema<'ModelRoles'>
export type RoleName = keyof Roles['said']
export type SpendWindow = NonNullable<Query<'/console/api/gateway/summary'>['window']>

const EACH: Record<RoleName, true> = { default: true, small: true, judge: true, embed: true }
/** Every role, in the order in which they are shown. */
export const ROLES = Object.keys(EACH) as RoleName[]

const FRESH_MS = 10_000

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: async ({ signal }) => given(await api.GET('/console/api/models', { signal })),
})

export const rolesQuery = queryOptions({
  queryKey: ['models', 'roles'],
  queryFn: async ({ signal }) => given(await api.GET('/ui/api/model-roles', { signal })),
})

export function spendQuery(window: SpendWindow) {
  return queryOptions({
    queryKey: ['models', 'spend', window],
    queryFn: async ({ signal }) =>
      given(await api.GET('/console/api/gateway/summary', { params: { query: { window } }, signal })),
    refetchInterval: FRESH_MS,
  })
}

export async function probe(model: string): Promise<Schema<'ModelProbe'>> {
  return given(await api.POST('/console/api/models/probe', { body: { model } }))
}

export async function saveRoles(roles: Roles['said'], etag: string): Promise<Roles> {
  return given(await api.PUT('/ui/api/model-roles', { params: { header: { 'if-match': etag } }, body: { roles } }))
}
