import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api.ts'
import { STRINGS } from '../strings.ts'
import { Empty, Failed, Loading } from './states.tsx'

interface Props<Data> {
  query: UseQueryResult<Data>
  /** said when there is nothing in a list */
  empty?: string
  children: (data: Data) => ReactNode
}

/** What was asked of the API, once it is there; else why not. */
export function Asked<Data>({ query, empty, children }: Props<Data>) {
  const { data, error, isPending, refetch } = query
  if (isPending) return <Loading />
  if (data === undefined || isRefused(error)) return <Failed error={error} again={() => void refetch()} />
  if (empty !== undefined && Array.isArray(data) && data.length === 0) return <Empty>{empty}</Empty>
  return (
    // what is there stays while the API does not answer, with whatever was typed into it
    <>
      {error !== null && (
        <p role="status" className="mb-2 text-wait">
          {STRINGS.states.stale} {error.message}
        </p>
      )}
      {children(data)}
    </>
  )
}

/** Anyone who may not see it any more sees nothing of it. */
const isRefused = (error: unknown) => error instanceof ApiError && [401, 403, 404].includes(error.status)
