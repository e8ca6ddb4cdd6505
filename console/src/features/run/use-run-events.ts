import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type FollowState, followRun, type RunEvent } from '../../lib/follow-run.ts'

/** what came meanwhile is drawn at once */
const GATHER_MS = 100
/** however many events come, the run is asked for so often at most */
const REFRESH_MS = 1_000

/** The events of a run as they come. They say that the run has changed, so that it is asked for again. */
export function useRunEvents(id: string): { events: readonly RunEvent[]; state: FollowState } {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly RunEvent[]>([])
  const [state, setState] = useState<FollowState>('reconnecting')
  useEffect(() => {
    const leaving = new AbortController()
    const gathered: RunEvent[] = []
    let drawing: number | undefined
    let asking: number | undefined
    const ask = () => {
      asking = undefined
      void client.invalidateQueries({ queryKey: ['run', id] })
    }
    const draw = () => {
      drawing = undefined
      const came = gathered.splice(0)
      setEvents((before) => before.concat(came))
      asking ??= window.setTimeout(ask, REFRESH_MS)
    }
    const onEvent = (event: RunEvent) => {
      gathered.push(event)
      drawing ??= window.setTimeout(draw, GATHER_MS)
    }
    setEvents([])
    void followRun(id, { onEvent, onState: setState }, leaving.signal)
    return () => {
      leaving.abort()
      window.clearTimeout(drawing)
      window.clearTimeout(asking)
    }
  }, [client, id])
  return { events, state }
}
