import { z } from '@hono/zod-openapi'
import { DELIVERY_STATES, type DeliveryState, NoticeDelivery } from '#core/notify/channel-schema.ts'
import { listDeliveries, listRunDeliveries } from '#services/deliveries/list-deliveries.ts'
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
    summary: 'List the notices of a run with their deliveries, newest first',
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

/** One or several states, separated by commas. */
const States = z
  .string()
  .max(200)
  .meta({ description: `One state or several with commas between: ${DELIVERY_STATES.join(', ')}`, example: 'failed' })
  .transform((text, check) =>
    text.split(',').map((word): DeliveryState => {
      const state = DELIVERY_STATES.find((known) => known === word)
      if (state === undefined)
        check.addIssue({
          code: 'custom',
          message: `is not a state; there are ${DELIVERY_STATES.join(', ')}`,
          input: word,
        })
      return state ?? 'failed'
    }),
  )

export const listDeliveriesRoute = defineRoute(
  {
    operationId: 'listDeliveries',
    method: 'get',
    path: '/deliveries',
    tags: ['deliveries'],
    access: 'read',
    auth: 'user',
    summary: 'List notices with their deliveries, newest first',
    description: 'Each notice to each recipient: whether it arrived, why not, and when it is tried again.',
    request: {
      query: z.object({
        state: States.optional(),
        channel: z.string().max(64).optional(),
        since: z.iso.datetime({ offset: true }).optional(),
        until: z.iso.datetime({ offset: true }).optional(),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(NoticeDelivery, 'notices') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const { state, ...query } = c.req.valid('query')
    const page = await listDeliveries(c.get('ctx'), { ...query, states: state })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
