import { z } from '@hono/zod-openapi'
import { NoticeDelivery } from '#core/notify/delivery-schema.ts'
import { listRunDeliveries } from '#services/deliveries/list-run-deliveries.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { RunParams } from '../../schemas/params.ts'

export const listRunDeliveriesRoute = defineRoute(
  {
    operationId: 'listRunDeliveries',
    method: 'get',
    path: '/runs/{id}/deliveries',
    tags: ['deliveries'],
    access: 'read',
    auth: 'user',
    summary: 'List what became of the notices of a run, newest first',
    request: { params: RunParams, query: z.object({ ...pageQuery }) },
    responses: { 200: listOf(NoticeDelivery, 'notices') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const run_id = c.req.valid('param').id
    const page = await listRunDeliveries(c.get('ctx'), { ...c.req.valid('query'), run_id })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
