import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Time } from '../../components/time.tsx'
import { followRun, type RunEvent } from '../../lib/follow-run.ts'
import { STRINGS } from '../../strings.ts'

const words = STRINGS.run
/** how many events are drawn; the record has them all */
const SHOWN = 500
/** what came meanwhile is drawn at once, and the run is asked for once */
const GATHER_MS = 100

/** The events of a run as they come. Each says that the run has changed, so that it is asked for again. */
export function RunEvents({ id }: { id: string }) {
  const client = useQueryClient()
  const [events, setEvents] = useState<RunEvent[]>([])
  const [state, setState] = useState<'following' | 'reconnecting' | 'ended'>('reconnecting')
  useEffect(() => {
    const leaving = new AbortController()
    const gathered: RunEvent[] = []
    let timer: number | undefined
    const draw = () => {
      timer = undefined
      const came = gathered.splice(0)
      setEvents((before) => [...before, ...came])
      void client.invalidateQueries({ queryKey: ['run', id] })
    }
    const onEvent = (event: RunEvent) => {
      gathered.push(event)
      timer ??= window.setTimeout(draw, GATHER_MS)
    }
    void followRun(id, { onEvent, onState: setState }, leaving.signal)
    return () => {
      leaving.abort()
      window.clearTimeout(timer)
    }
  }, [client, id])
  const hidden = Math.max(0, events.length - SHOWN)
  return (
    <section>
      <h2 className="mb-2 mt-6 text-lg font-semibold">
        {words.events} <span className="text-sm font-normal text-soft">{words[state]}</span>
      </h2>
      {hidden > 0 && <p className="text-soft">{words.dropped(hidden)}</p>}
      <ol className="space-y-1">
        {events.slice(hidden).map((event) => (
          <li key={event.seq} className="border-b border-line py-1">
            <span className="flex flex-wrap gap-x-4">
              <span className="w-10 text-right text-soft">{event.seq}</span>
              <span className="font-medium">{event.type}</span>
              <span className="text-sm text-soft">
                <Time at={event.ts} />
              </span>
            </span>
            <details className="text-sm">
              <summary className="text-soft">{words.data}</summary>
              <pre className="overflow-x-auto whitespace-pre-wrap break-words rounded bg-sunk p-2">
                {JSON.stringify(event.data, null, 2)}
              </pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}
