import { z } from '@hono/zod-openapi'
import { listInbox } from '#services/inbox/list-inbox.ts'
import { defineRoute } from '../../define-route.ts'
import { inboxOf } from '../../durably.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { InboxItem, InboxStatuses } from '../../schemas/inbox.ts'

export const listInboxRoute = defineRoute(
  {
    operationId: 'listInbox',
    method: 'get',
    path: '/triggers/inbox',
    tags: ['triggers'],
    access: 'read',
    auth: 'operator',
    summary: 'List what arrived at triggers, newest first',
    description: 'Only with OBS_TRIGGER_DURABLE=1.',
    request: {
      query: z.object({
        status: InboxStatuses.optional(),
        route: z.string().max(200).optional(),
        source: z.string().max(200).optional(),
        since: z.iso.datetime({ offset: true }).optional(),
        until: z.iso.datetime({ offset: true }).optional(),
        body: z.enum(['0', '1']).optional().meta({ description: '`1` shows the bodies' }),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(InboxItem, 'deliveries') },
    problems: ['invalid_cursor', 'not_configured'],
  },
  async (c) => {
    const inbox = inboxOf(c)
    const { status, body, ...query } = c.req.valid('query')
    const page = await listInbox({ ...c.get('ctx'), inbox }, { ...query, statuses: status, bodies: body === '1' })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
