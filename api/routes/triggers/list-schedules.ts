import { z } from '@hono/zod-openapi'
import { Schedule } from '#core/schedule/schema.ts'
import { listSchedules } from '#services/schedules/list-schedules.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const listSchedulesRoute = defineRoute(
  {
    operationId: 'listSchedules',
    method: 'get',
    path: '/triggers/scheduled',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List schedules, newest first',
    description: 'Of several layers with the same name only the one in force is listed.',
    request: { query: z.object({ ...pageQuery }) },
    responses: { 200: listOf(Schedule, 'schedules') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listSchedules(c.get('ctx'), c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
