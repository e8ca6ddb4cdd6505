import { z } from '@hono/zod-openapi'
import { DeliveryTrace } from '#core/ingress/trace-schema.ts'
import { listSignedDeliveries } from '#services/ingress/list-signed-deliveries.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'

export const listSignedDeliveriesRoute = defineRoute(
  {
    operationId: 'listSignedDeliveries',
    method: 'get',
    path: '/triggers/deliveries',
    tags: ['triggers'],
    access: 'read',
    auth: 'operator',
    summary: 'List deliveries to signed webhooks with what happened to each, stage by stage, newest first',
    description:
      'Of the last three days. What was refused before it was believed (401, 404, 429) is in the log of the API and not here: whoever sent it is unknown. Repeats are not listed beside their first.',
    request: {
      query: z.object({
        ingress: z
          .string()
          .regex(/^[a-z0-9-]{1,64}\/[a-z0-9-]{1,64}$/)
          .optional()
          .meta({ description: 'Of this one alone', example: 'sre/github-deployments' }),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(DeliveryTrace, 'deliveries') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listSignedDeliveries(c.get('ctx'), c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
