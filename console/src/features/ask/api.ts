import { queryOptions } from '@tanstack/react-query'
import type { Schema } from '#client/create-client.ts'
import { ApiError, api, given, send } from '../../lib/api.ts'
import { serverEvents } from '../../lib/follow-events.ts'
import { API_URL } from '../../lib/places.ts'

export type Answer = Schema<'AskAnswer'>
export type Turn = Schema<'AskTurn'>
export type Action = NonNullable<Schema<'AskAction'>>

/** A tool call of a running turn. */
export interface LookUp {
  id: string
  name: string
  ref: string
  rows: number
}

/** Earlier turns of the thread. */
export function threadQuery(id: string) {
  return queryOptions({
    queryKey: ['ask', id],
    queryFn: async ({ signal }) => given(await api.GET('/ask/thread/{id}', { params: { path: { id } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

interface Question {
  query: string
  thread_id: string | undefined
  signal: AbortSignal
  onLookUp(lookUp: LookUp): void
}

/** Asks, and reports every look-up as it is made. Throws an `ApiError`, also for what breaks on the way. */
export async function ask({ query, thread_id, signal, onLookUp }: Question): Promise<Answer> {
  const request = new Request(`${API_URL}/ask`, {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, ...(thread_id !== undefined && { thread_id }) }),
  })
  for await (const { event, data } of serverEvents(await send(request))) {
    if (event === 'tool') onLookUp(JSON.parse(data) as LookUp)
    if (event === 'answer') return JSON.parse(data) as Answer
    if (event === 'error') {
      const { status, code, detail } = JSON.parse(data) as { status: number; code: string; detail: string }
      throw new ApiError(status, code, detail)
    }
  }
  throw new ApiError(0, 'empty', 'The answer ended before its end.')
}
