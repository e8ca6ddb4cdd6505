import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import type { RunsSearch } from './api.ts'
import { type RunPart, readRuns } from './api.ts'
import { mergePart, runsIn } from './merge-part.ts'

const FRESH_MS = 3_000

/** The list of runs, loaded part by part while scrolling; the visible part is reloaded continually. */
export function useRuns(search: RunsSearch) {
  const client = useQueryClient()
  const text = JSON.stringify(search)
  const key = useMemo(() => ['runs', text], [text])
  // of another list nothing is scrolled, and nothing newer has come
  const [at, setAt] = useState({ text, first: 0, newer: 0 })
  const { first, newer } = at.text === text ? at : { first: 0, newer: 0 }
  const change = useCallback(
    (changed: { first?: number; newer?: number }) =>
      setAt((before) => ({ ...(before.text === text ? before : { first: 0, newer: 0 }), text, ...changed })),
    [text],
  )
  const setFirst = useCallback((place: number) => change({ first: place }), [change])
  const list = useInfiniteQuery<RunPart, Error, InfiniteData<RunPart, string>, typeof key, string>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => readRuns(search, pageParam, signal),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { runs, partOf } = useMemo(() => runsIn(list.data?.pages ?? []), [list.data])
  const isTop = first === 0
  const part = partOf[Math.min(first, partOf.length - 1)] ?? 0
  const cursor = list.data?.pageParams[part] ?? ''
  const fresh = useQuery({
    queryKey: ['runs-fresh', search, cursor],
    queryFn: ({ signal }) => readRuns(search, cursor, signal),
    enabled: list.data !== undefined,
    refetchInterval: FRESH_MS,
    gcTime: 0,
  })
  const { data: came } = fresh
  useEffect(() => {
    if (came === undefined) return
    client.setQueryData<InfiniteData<RunPart, string>>(key, (parts) => {
      if (parts === undefined) return parts
      const merged = mergePart(parts, { part, isTop }, came)
      change({ newer: merged.newer })
      return merged.parts
    })
  }, [client, key, came, part, isTop, change])
  return { list, runs, newer, stale: fresh.error, total: came ?? list.data?.pages[0], setFirst }
}
