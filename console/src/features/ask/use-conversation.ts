import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ask, type LookUp, threadQuery } from './api.ts'

/** The conversation that this tab has open, so that it is there again when the page is reloaded. */
const KEPT = 'svc.ask'

/** A conversation across pages, one question at a time. `of` is its owner and workspace. */
export function useConversation(of: string) {
  const client = useQueryClient()
  const kept = `${KEPT}.${of}`
  const [thread_id, setThread] = useState(() => sessionStorage.getItem(kept) ?? undefined)
  const [looked, setLookUps] = useState<LookUp[]>([])
  const leaving = useRef<AbortController>(undefined)
  const thread = useQuery({ ...threadQuery(thread_id ?? ''), enabled: thread_id !== undefined })
  const attempt = useMutation({
    mutationFn: async (query: string) => {
      leaving.current = new AbortController()
      setLookUps([])
      const onLookUp = (lookUp: LookUp) => setLookUps((before) => [...before, lookUp])
      return await ask({ query, thread_id, signal: leaving.current.signal, onLookUp })
    },
    onSuccess: ({ thread_id: id, ...turn }, query) => {
      const { queryKey } = threadQuery(id)
      const turns = client.getQueryData(queryKey)?.turns ?? []
      client.setQueryData(queryKey, { thread_id: id, turns: [...turns, { query, ...turn }] })
      sessionStorage.setItem(kept, id)
      setThread(id)
    },
  })
  return {
    thread_id: thread_id ?? '',
    turns: thread.data?.turns ?? [],
    /** the running or failed question */
    open: attempt.isSuccess ? undefined : attempt.variables,
    looked,
    isAsking: attempt.isPending,
    error: attempt.error ?? thread.error,
    ask: attempt.mutate,
    stop: () => leaving.current?.abort(),
    startOver() {
      leaving.current?.abort()
      attempt.reset()
      sessionStorage.removeItem(kept)
      setThread(undefined)
    },
  }
}
