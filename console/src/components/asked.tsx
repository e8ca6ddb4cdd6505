import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api.ts'
import { STRINGS } from '../strings.ts'
import { Prose } from './prose.tsx'
import { Empty, Failed, Loading } from './states.tsx'

interface Props<Data> {
  query: UseQueryResult<Data>
  /** shown for an empty list */
  empty?: string
  children: (data: Data) => ReactNode
}

/** Shows the result of a query, or its error. */
export function Asked<Data>({ query, empty, children }: Props<Data>) {
  const { data, error, isPending, refetch } = query
  if (isPending) return <Loading />
  if (data === undefined || isRefused(error)) return <Failed error={error} again={() => void refetch()} />
  if (empty !== undefined && Array.isArray(data) && data.length === 0)
    return (
      <Empty>
        <Prose text={empty} />
      </Empty>
    )
  return (
    // the data stays while the API does not answer, with any input
    <>
      {error !== null && (
        <p role="status" className="mb-2 text-warning">
          {STRINGS.states.stale} {error.message}
        </p>
      )}
      {children(data)}
    </>
  )
}

/** A refused user sees no data. */
const isRefused = (error: unknown) => error instanceof ApiError && [401, 403, 404].includes(error.status)
