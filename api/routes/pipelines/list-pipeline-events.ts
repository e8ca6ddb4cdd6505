import { z } from '@hono/zod-openapi'
import { PipelineEventSnapshot } from '#core/pipeline/event-schema.ts'
import { listPipelineEvents } from '#services/pipelines/list-pipeline-events.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AfterSeq, PipelineParams, pageSize } from '../../schemas/params.ts'

export const listPipelineEventsRoute = defineRoute(
  {
    operationId: 'listPipelineEvents',
    method: 'get',
    path: '/pipelines/{id}/events',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'Read the event log of a pipeline after a number',
    request: {
      params: PipelineParams,
      query: z.object({ after_seq: AfterSeq.default(0), limit: pageSize(1_000, 1_000) }),
    },
    responses: { 200: ok(PipelineEventSnapshot, 'Events in order, without gaps') },
  },
  async (c) => {
    const { id: pipeline_id } = c.req.valid('param')
    return c.json(await listPipelineEvents(c.get('ctx'), { pipeline_id, ...c.req.valid('query') }), 200)
  },
)
