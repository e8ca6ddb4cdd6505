import { within } from '#platform/within.ts'
import type { EventHub, EventSink, Logged } from '#services/runs/watch-events.ts'

const BUFFER_CAP_BYTES = 1024 * 1024
const PING_MS = 15_000
/** interval of checking a stream's API key: a revoked key ends it within a second */
const KEY_MS = 500
/** timeout of checking whether a reader may still read */
const ANSWER_MS = 10_000
const RETRY_MS = 2_000

const encoder = new TextEncoder()
const PING = encoder.encode(': ping\n\n')
/** An event goes to many watchers and is encoded once. */
const encoded = new WeakMap<Logged, Uint8Array>()

interface StreamHooks {
  abort: (() => void) | undefined
  stillAllowed: () => Promise<boolean>
  /** tells whether the stream's API key is still valid; undefined without a key */
  keyHolds?: (() => Promise<boolean>) | undefined
}

interface EventStream<Event extends Logged> {
  body: ReadableStream<Uint8Array>
  sink: EventSink<Event>
}

/**
 * Joins a watcher to the hub and returns the bytes for its connection; `abort` disconnects a slow reader, and a reader without a clear
 * permission is disconnected at the next ping.
 */
export async function openEventStream<Event extends Logged>(
  hub: Pick<EventHub<Event>, 'watch'>,
  input: Parameters<EventHub['watch']>[0],
  hooks: StreamHooks,
): Promise<ReadableStream<Uint8Array>> {
  let leave = () => {}
  const { body, sink } = createEventStream<Event>({ onDisconnect: () => leave(), ...hooks })
  try {
    leave = await hub.watch(input, sink)
    return body
  } catch (error) {
    await body.cancel()
    throw error
  }
}

/** A stream of server-sent events with a buffer of 1 MiB. `onGone` is called once: the reader has left or the stream has ended. */
function createEventStream<Event extends Logged>(
  hooks: StreamHooks & { onDisconnect: () => void },
): EventStream<Event> {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let wake = () => {}

  const stop = () => {
    if (controller === undefined) return
    controller = undefined
    clearInterval(ping)
    clearInterval(keyCheck)
    wake()
    hooks.onDisconnect()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
        started.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`))
      },
      pull: () => wake(),
      cancel: stop,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_CAP_BYTES }),
  )
  const hasRoom = () => (controller?.desiredSize ?? 0) > 0
  const ping = setInterval(() => {
    if (hasRoom()) controller?.enqueue(PING)
    endUnless(hooks.stillAllowed)
  }, PING_MS)
  ping.unref()
  const { keyHolds } = hooks
  const keyCheck = keyHolds && setInterval(() => endUnless(keyHolds), KEY_MS)
  keyCheck?.unref()

  function endUnless(ask: () => Promise<boolean>): void {
    void isClearYes(ask()).then((allowed) => {
      if (!allowed) sink.end('closing')
    })
  }

  const sink: EventSink<Event> = {
    hasRoom,
    write: (event) => controller?.enqueue(encode(event)),
    drained() {
      if (controller === undefined || hasRoom()) return Promise.resolve()
      return new Promise((resolve) => {
        wake = resolve
      })
    },
    end(reason) {
      const open = controller
      if (open === undefined) return
      stop()
      if (reason === 'overflow') {
        if (hooks.abort) hooks.abort()
        else open.error(new Error('the reader did not keep up'))
        return
      }
      open.enqueue(encoder.encode(reason === 'terminal' ? 'event: end\ndata: {}\n\n' : ': the server is closing\n\n'))
      open.close()
    },
  }
  return { body, sink }
}

/** No answer in time is not a yes. */
async function isClearYes(answer: Promise<boolean>): Promise<boolean> {
  return await within(
    ANSWER_MS,
    answer.catch(() => false),
    () => false,
  )
}

function encode(event: Logged): Uint8Array {
  const known = encoded.get(event)
  if (known) return known
  const bytes = encoder.encode(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  encoded.set(event, bytes)
  return bytes
}
