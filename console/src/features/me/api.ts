import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { api, given } from '../../lib/api.ts'

export type Me = Schema<'User'>

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => given(await api.GET('/auth/me', { signal })),
})

export const answeringQuery = queryOptions({
  queryKey: ['me', 'answering-accounts'],
  queryFn: async ({ signal }) => given(await api.GET('/auth/me/answering-accounts', { signal })),
})

export const delegatesQuery = queryOptions({
  queryKey: ['me', 'delegates'],
  queryFn: async ({ signal }) => given(await api.GET('/auth/delegates', { signal })),
})
