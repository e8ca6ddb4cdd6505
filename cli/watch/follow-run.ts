import { setTimeout as sleep } from 'node:timers/promises'
import type { Schema } from '#client/create-client.ts'
import { DomainError } from '#core/errors.ts'
import type { ApiClient } from '../api-client.ts'
import { ApiProblem } from '../api-problem.ts'

const FIRST_PAUSE_MS = 200
const LAST_PAUSE_MS = 5_000
const PATIENCE_MS = 300_000

export interface FollowOptions {
  afterSeq: number
  onEvent(event: Schema<'RunEvent'>): 'go on' | 'enough'
  signal?: AbortSignal
  /** told once when the stream was cut and is taken up again */
  onCut?(): void
}

/**
 * Reads a run's events, each once and in order, over cuts of the connection, until the run has ended or `onEvent` has
 * enough. Answers the number of the last event. Gives up when the service stays away for five minutes.
 */
export async function followRun(api: ApiClient, id: string, options: FollowOptions): Promise<number> {
  const { signal } = options
  let last = options.afterSeq
  let lost: { since: number; pause_ms: number } | undefined
  for (let connected = false; ; connected = true) {
    let heard = false
    try {
      const end = await api.stream(
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
      heard = true
    } catch (error) {
      signal?.throwIfAborted()
      if (!connected || !isPassing(error)) throw error
      if (lost !== undefined && Date.now() - lost.since > PATIENCE_MS) throw error
    }
    signal?.throwIfAborted()
    if (lost === undefined) options.onCut?.()
    const since = heard ? Date.now() : (lost?.since ?? Date.now())
    lost = { since, pause_ms: lost === undefined ? FIRST_PAUSE_MS : Math.min(lost.pause_ms * 2, LAST_PAUSE_MS) }
    await sleep(lost.pause_ms, undefined, signal === undefined ? {} : { signal })
  }
}

function isPassing(error: unknown): boolean {
  if (error instanceof ApiProblem) return error.status === 429 || error.status >= 500
  return error instanceof DomainError && error.code === 'dependency_unavailable'
}
