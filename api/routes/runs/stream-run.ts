import { z } from '@hono/zod-openapi'
import { defineRoute } from '../../define-route.ts'
import { streamResponse } from '../../event-stream-response.ts'
import { AfterSeq, RunParams } from '../../schemas/params.ts'

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
    return await streamResponse(c, c.get('deps').hub, { id: c.req.valid('param').id, after_seq })
  },
)
