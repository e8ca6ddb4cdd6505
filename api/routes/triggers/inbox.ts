import { z } from '@hono/zod-openapi'
import { keptHeaders } from '#core/inbox/kept-headers.ts'
import { defined } from '#core/json/json.ts'
import { listInbox } from '#services/inbox/list-inbox.ts'
import { postInbox } from '#services/inbox/post-inbox.ts'
import { replayInbox } from '#services/inbox/replay-inbox.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { inboxOf } from '../../durably.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { InboxItem, InboxStatuses, ReplayOutcome, ReplayRequest } from '../../schemas/inbox.ts'

export const replayInboxRoute = defineRoute(
  {
    operationId: 'replayInbox',
    method: 'post',
    path: '/triggers/inbox/replay',
    tags: ['triggers'],
    verb: replayInbox,
    summary: 'Process deliveries once more, or say what would happen',
    description:
      '`force` processes again, `if_no_run` only what led to no run, `simulate` matches the rules and changes nothing. Name the deliveries by `ids` or by a time from `since`. Only with OBS_TRIGGER_DURABLE=1.',
    request: { body: json(ReplayRequest) },
    responses: { 200: ok(z.array(ReplayOutcome), 'What came of each, in the order of receipt') },
    problems: ['not_configured'],
    idempotent: true,
  },
  async (c) => {
    const inbox = inboxOf(c)
    const { status, mode, ids, since, until } = c.req.valid('json')
    const statuses = status === undefined ? undefined : [status]
    const request = { mode, ...defined({ ids, since, until, statuses }) }
    return c.json(await replayInbox({ ...c.get('ctx'), inbox }, request), 200)
  },
)

export const postInboxRoute = defineRoute(
  {
    operationId: 'postInbox',
    method: 'post',
    path: '/triggers/inbox',
    tags: ['triggers'],
    verb: postInbox,
    summary: 'Put a delivery into the inbox by hand',
    description: 'It is processed in its turn, in the name of the caller. Only with OBS_TRIGGER_DURABLE=1.',
    request: {
      body: json(
        z.strictObject({
          route: z.string().max(200).meta({ example: '/triggers/alert' }),
          source: z.string().max(200).optional(),
          headers: z.record(z.string().max(200), z.string().max(2_000)).optional(),
          body: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]),
        }),
      ),
    },
    responses: { 202: ok(InboxItem, 'The delivery as it waits') },
    problems: ['not_configured'],
    idempotent: true,
  },
  async (c) => {
    const inbox = inboxOf(c)
    const { route, source, headers, body } = c.req.valid('json')
    const sent = new Map(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
    const delivery = { route, body, headers: keptHeaders((name) => sent.get(name)), ...defined({ source }) }
    return c.json(await postInbox({ ...c.get('ctx'), inbox }, delivery), 202)
  },
)

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
