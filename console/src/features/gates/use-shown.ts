import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { followEvents, type LogEvent } from '../../lib/follow-events.ts'
import { hasNoGate, type PendingApproval, pendingQuery } from './api.ts'

/** events in this time cause one reload */
const GATHER_MS = 100

const isOther = (one: PendingApproval, other: PendingApproval) =>
  one.gate_id !== other.gate_id || one.plan_hash !== other.plan_hash

/**
 * The gate of a run as it was first shown, with the current votes. Another gate or another plan is `next` until it is confirmed: the answer
 * is about what was seen.
 */
export function useShown(run_id: string) {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(pendingQuery(run_id))
  const [seen, setSeen] = useState<PendingApproval>()
  if (data !== undefined && (seen === undefined || (seen !== data && !isOther(seen, data)))) setSeen(data)
  useEffect(() => {
    const leaving = new AbortController()
    let timer: number | undefined
    const ask = () => {
      timer = undefined
      void client.invalidateQueries({ queryKey: ['gate', run_id] })
      void client.invalidateQueries({ queryKey: ['gates'] })
    }
    const onEvent = ({ type }: LogEvent) => {
      if (type.startsWith('gate.')) timer ??= window.setTimeout(ask, GATHER_MS)
    }
    void followEvents({ of: 'runs', id: run_id }, { onEvent, onState: () => {} }, leaving.signal)
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [client, run_id])
  const gone = error !== null && hasNoGate(error)
  const next = !gone && seen !== undefined && data !== undefined && isOther(seen, data) ? data : undefined
  return { seen, next, gone, error, refetch, look: () => setSeen(next ?? seen) }
}
