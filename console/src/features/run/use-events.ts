import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type FollowState, followEvents, type Log, type LogEvent } from '../../lib/follow-events.ts'

/** events in this time are drawn at once */
const GATHER_MS = 100
/** shortest interval of reloads, however many events come */
const REFRESH_MS = 1_000

export interface LogEvents {
  events: readonly LogEvent[]
  state: FollowState
}

/** The events of a log as they come. Each means that its subject has changed, and reloads it. */
export function useEvents({ of, id }: Log): LogEvents {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly LogEvent[]>([])
  const [state, setState] = useState<FollowState>('reconnecting')
  useEffect(() => {
    const leaving = new AbortController()
    const gathered: LogEvent[] = []
    let drawing: number | undefined
    let asking: number | undefined
    const ask = () => {
      asking = undefined
      void client.invalidateQueries({ queryKey: of === 'runs' ? ['run', id] : ['pipelines', 'one', id] })
    }
    const draw = () => {
      drawing = undefined
      const came = gathered.splice(0)
      setEvents((before) => before.concat(came))
      asking ??= window.setTimeout(ask, REFRESH_MS)
    }
    const onEvent = (event: LogEvent) => {
      gathered.push(event)
      drawing ??= window.setTimeout(draw, GATHER_MS)
    }
    setEvents([])
    void followEvents({ of, id }, { onEvent, onState: setState }, leaving.signal)
    return () => {
      leaving.abort()
      window.clearTimeout(drawing)
      window.clearTimeout(asking)
    }
  }, [client, of, id])
  return { events, state }
}
