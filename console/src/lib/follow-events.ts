import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Schema } from '#client/create-client.ts'
import { ApiError, send } from './api.ts'
import { API_URL } from './places.ts'

/** An event of a run or a pipeline. */
export type LogEvent = Schema<'RunEvent'> | Schema<'PipelineEvent'>

/** A log of events, by what it is of. */
export interface Log {
  of: 'runs' | 'pipelines'
  id: string
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

/** `refused`: the server no longer shows them, and is not called again. */
export type FollowState = 'following' | 'reconnecting' | 'ended' | 'refused'

interface Follower {
  onEvent(event: LogEvent): void
  onState(state: FollowState): void
}

/**
 * Follows the events of a log, once and in order: a broken connection is resumed where it was. A browser's own EventSource cannot send the
 * header of the session.
 */
export async function followEvents({ of, id }: Log, follower: Follower, signal: AbortSignal): Promise<void> {
  let after = 0
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const address = `${API_URL}/${of}/${encodeURIComponent(id)}/stream?after_seq=${after}`
      const response = await send(new Request(address, { signal, headers: { accept: 'text/event-stream' } }))
      follower.onState('following')
      wait = FIRST_WAIT_MS
      const ended = await readEvents(response, (event) => {
        after = event.seq
        follower.onEvent(event)
      })
      if (ended) return follower.onState('ended')
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429)
        return follower.onState('refused')
    }
    follower.onState('reconnecting')
    await pause(wait, signal)
    wait = Math.min(wait * 2, LONGEST_WAIT_MS)
  }
}

/** True when what it is of has ended, and not only the connection. */
async function readEvents(response: Response, onEvent: (event: LogEvent) => void): Promise<boolean> {
  for await (const { event, data } of serverEvents(response)) {
    if (event === 'end') return true
    onEvent(JSON.parse(data) as LogEvent)
  }
  return false
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

interface ServerEvent {
  event: string | undefined
  data: string
}

/** The Server-Sent Events of an answer, as they come. */
export async function* serverEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  if (body === null) return
  const reader = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      yield { event: next.value.event, data: next.value.data }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
