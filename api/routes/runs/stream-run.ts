import { z } from '@hono/zod-openapi'
import { defineRoute } from '../../define-route.ts'
import { AfterSeq, RunParams } from '../../schemas/params.ts'
import { openEventStream } from '../../sse.ts'

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

export const streamRunRoute = defineRoute(
  {
    operationId: 'streamRun',
    method: 'get',
    path: '/runs/{id}/stream',
    tags: ['runs'],
    access: 'stream',
    auth: 'user',
    summary: 'Follow the events of a run (Server-Sent Events)',
    description:
      'Every event after `after_seq`, or else after `Last-Event-ID`, once and in order. After the last event of an ended run comes `event: end` and the server closes. A reader that has 1 MiB unread and takes nothing for some seconds is cut off; it resumes where it was.',
    request: {
      params: RunParams,
      query: z.object({ after_seq: AfterSeq.optional() }),
      headers: z.object({ 'last-event-id': AfterSeq.optional() }),
    },
    responses: {
      200: {
        description: 'Lines `id`, `event` and `data`; the data is a RunEvent',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['rate_limited'],
  },
  async (c) => {
    const after_seq = c.req.valid('query').after_seq ?? c.req.valid('header')['last-event-id'] ?? 0
    const outgoing = c.env?.outgoing
    const watched = { workspace_id: c.get('ctx').workspace_id, run_id: c.req.valid('param').id, after_seq }
    const body = await openEventStream(c.get('deps').hub, watched, {
      abort: outgoing && (() => void outgoing.destroy()),
      stillAllowed: c.get('still_allowed'),
      keyHolds: c.get('key_holds'),
    })
    if (c.req.method === 'HEAD') await body.cancel()
    return new Response(c.req.method === 'HEAD' ? null : body, { headers: STREAM_HEADERS })
  },
)
