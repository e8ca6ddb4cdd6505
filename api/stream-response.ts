import { attachmentNamed } from '#core/run/attachment-name.ts'
import type { ArtifactFile } from '#services/runs/artifacts.ts'
import type { EventHub, Logged } from '#services/runs/watch-events.ts'
import type { ApiContext } from './context.ts'
import { openEventStream } from './sse.ts'

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/

/** A stored file as a download: never shown by a browser, never guessed at. */
export function attachment(file: ArtifactFile): Response {
  return new Response(file.body, {
    headers: {
      'content-type': MEDIA_TYPE.test(file.media_type) ? file.media_type : 'application/octet-stream',
      'content-length': String(file.body.byteLength),
      'content-disposition': attachmentNamed(file.name),
      'x-content-type-options': 'nosniff',
      etag: `"${file.digest}"`,
    },
  })
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The events of one log as they come, in the name of the caller and for as long as they may read it. */
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
