import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
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
  if (data === undefined || error !== null) return <Failed error={error} again={() => void refetch()} />
  if (empty !== undefined && Array.isArray(data) && data.length === 0) return <Empty>{empty}</Empty>
  return children(data)
}
