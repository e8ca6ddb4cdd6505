import type { StreamEnd } from './read-events.ts'

/** the server sends something every 15 s; a connection that is silent for longer is dead */
const SILENCE_MS = 45_000

/** Makes one connection to a log of events; `cut` when it broke before its subject ended. */
export async function streamEvents<Event>(
  connect: (signal: AbortSignal) => Promise<{ data?: ReadableStream<Uint8Array> | null | undefined }>,
  onEvent: (event: Event, name: string | undefined) => 'continue' | 'enough',
  signal?: AbortSignal,
): Promise<StreamEnd> {
  const over = new AbortController()
  const stop = () => over.abort()
  const timer = setTimeout(stop, SILENCE_MS)
  signal?.addEventListener('abort', stop, { once: true })
  if (signal?.aborted) stop()
  try {
    const { data } = await connect(over.signal)
    const { readEvents } = await import('./read-events.ts')
    return await readEvents<Event>(data, { onEvent, onBytes: () => timer.refresh(), signal: over.signal })
  } catch (error) {
    if (over.signal.aborted && !signal?.aborted) return 'cut'
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
