import { createParser } from 'eventsource-parser'

/** The reason why a stream of events ended. */
export type StreamEnd = 'run ended' | 'enough' | 'cut'

export interface EventReader<Event> {
  /** `name` is that of the event, where it has one */
  onEvent(event: Event, name: string | undefined): 'continue' | 'enough'
  /** called on every sign of life */
  onBytes(): void
  signal: AbortSignal
}

/**
 * Reads a stream of events until it ends, breaks, was enough, or `signal` fires. The signal is handled here, because the one of a
 * Request does not reach its answer once Node has collected the Request.
 */
export async function readEvents<Event>(
  body: ReadableStream<Uint8Array> | null | undefined,
  { onEvent, onBytes, signal }: EventReader<Event>,
): Promise<StreamEnd> {
  if (body === null || body === undefined) return 'cut'
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let end: StreamEnd | undefined
  const parser = createParser({
    onEvent({ event, data }) {
      if (end !== undefined) return
      if (event === 'end') end = 'run ended'
      else if (onEvent(JSON.parse(data) as Event, event) === 'enough') end = 'enough'
    },
  })
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  while (end === undefined) {
    // a broken connection rejects; its events were read, so it is the same as an early end
    const { done, value } = await reader.read().catch(() => ({ done: true as const, value: undefined }))
    if (done) return 'cut'
    onBytes()
    parser.feed(value)
  }
  await reader.cancel()
  return end
}
