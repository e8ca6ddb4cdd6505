import { z } from '@hono/zod-openapi'
import { keptHeaders } from '#core/inbox/kept-headers.ts'
import { postInbox } from '#services/inbox/post-inbox.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { inboxOf } from '../../durably.ts'
import { InboxItem } from '../../schemas/inbox.ts'

export const postInboxRoute = defineRoute(
  {
    operationId: 'postInbox',
    method: 'post',
    path: '/triggers/inbox',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
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
