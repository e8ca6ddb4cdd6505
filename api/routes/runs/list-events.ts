import { z } from '@hono/zod-openapi'
import { EventSnapshot } from '#core/run/event-schema.ts'
import { listEvents } from '#services/runs/list-events.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AfterSeq, pageSize, RunParams } from '../../schemas/params.ts'

export const listEventsRoute = defineRoute(
  {
    operationId: 'listEvents',
    method: 'get',
    path: '/runs/{id}/events',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read the event log of a run after a number',
    request: {
      params: RunParams,
      query: z.object({
        after_seq: AfterSeq.default(0),
        limit: pageSize(1_000, 1_000),
      }),
    },
    responses: { 200: ok(EventSnapshot, 'Events in order, without gaps') },
  },
  async (c) =>
    c.json(await listEvents(c.get('ctx'), { run_id: c.req.valid('param').id, ...c.req.valid('query') }), 200),
)
