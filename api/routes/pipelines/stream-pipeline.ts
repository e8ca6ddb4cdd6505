import { z } from '@hono/zod-openapi'
import { defineRoute } from '../../define-route.ts'
import { streamResponse } from '../../event-stream-response.ts'
import { AfterSeq, PipelineParams } from '../../schemas/params.ts'

export const streamPipelineRoute = defineRoute(
  {
    operationId: 'streamPipeline',
    method: 'get',
    path: '/pipelines/{id}/stream',
    tags: ['pipelines'],
    access: 'stream',
    auth: 'user',
    summary: 'Follow the events of a pipeline (Server-Sent Events)',
    description:
      'Every event after `after_seq`, or otherwise after `Last-Event-ID`, once and in order, as for runs. After the last event of an ended pipeline the server sends `event: end` and closes.',
    request: {
      params: PipelineParams,
      query: z.object({ after_seq: AfterSeq.optional() }),
      headers: z.object({ 'last-event-id': AfterSeq.optional() }),
    },
    responses: {
      200: {
        description: 'Lines `id`, `event` and `data`; the data is a PipelineEvent',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['rate_limited'],
  },
  async (c) => {
    const after_seq = c.req.valid('query').after_seq ?? c.req.valid('header')['last-event-id'] ?? 0
    return await streamResponse(c, c.get('deps').pipeline_hub, { id: c.req.valid('param').id, after_seq })
  },
)
