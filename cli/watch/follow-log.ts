import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '#core/errors.ts'
import { ApiProblem } from '../client/api-problem.ts'
import type { StreamEnd } from '../client/read-events.ts'

const FIRST_PAUSE_MS = 200
const LAST_PAUSE_MS = 5_000
const PATIENCE_MS = 300_000

export interface FollowOptions<Event> {
  afterSeq: number
  onEvent(event: Event): 'continue' | 'enough'
  signal?: AbortSignal
  /** called once when the stream broke and is resumed */
  onCut?(): void
}

/** Makes one connection to a log after a number. */
type Connect<Event> = (
  id: string,
  after_seq: number,
  onEvent: (event: Event) => 'continue' | 'enough',
  signal?: AbortSignal,
) => Promise<StreamEnd>

/**
 * Reads the events of a run or a pipeline, each once and in order, over cuts of the connection, until it has ended or `onEvent` has
 * enough. Answers the number of the last event. Gives up when the service stays away for five minutes.
 */
export async function followLog<Event extends { seq: number }>(
  connect: Connect<Event>,
  id: string,
  options: FollowOptions<Event>,
): Promise<number> {
  const { signal } = options
  let last = options.afterSeq
  let lost: { since: number; pause_ms: number } | undefined
  for (let connected = false; ; connected = true) {
    let received = false
    try {
      const end = await connect(
        id,
        last,
        (event) => {
          lost = undefined
          last = event.seq
          return options.onEvent(event)
        },
        signal,
      )
      if (end !== 'cut') return last
      received = true
    } catch (error) {
      signal?.throwIfAborted()
      if (!connected || !isPassing(error)) throw error
      if (lost !== undefined && Date.now() - lost.since > PATIENCE_MS) throw error
    }
    signal?.throwIfAborted()
    if (lost === undefined) options.onCut?.()
    const since = received ? Date.now() : (lost?.since ?? Date.now())
    lost = { since, pause_ms: lost === undefined ? FIRST_PAUSE_MS : Math.min(lost.pause_ms * 2, LAST_PAUSE_MS) }
    await sleep(lost.pause_ms, undefined, signal === undefined ? {} : { signal })
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.status === 429 || error.status >= 500
  return error instanceof DomainError && error.code === 'dependency_unavailable'
}
