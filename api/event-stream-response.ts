import type { EventHub, Logged } from '#services/runs/watch-events.ts'
import type { ApiContext } from './context.ts'
import { openEventStream } from './sse.ts'

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The events of one log as they come, in the name of whoever asks and for as long as they may read it. */
export async function streamResponse<Event extends Logged>(
  c: ApiContext,
  hub: Pick<EventHub<Event>, 'watch'>,
  { id, after_seq }: { id: string; after_seq: number },
): Promise<Response> {
  const outgoing = c.env?.outgoing
  const watched = { workspace_id: c.get('ctx').workspace_id, run_id: id, after_seq }
  const body = await openEventStream(hub, watched, {
    abort: outgoing && (() => void outgoing.destroy()),
    stillAllowed: c.get('still_allowed'),
    keyHolds: c.get('key_holds'),
  })
  const isHead = c.req.method === 'HEAD'
  if (isHead) await body.cancel()
  return new Response(isHead ? null : body, { headers: STREAM_HEADERS })
}
