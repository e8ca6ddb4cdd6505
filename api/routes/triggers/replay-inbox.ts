import { z } from '@hono/zod-openapi'
import { replayInbox } from '#services/inbox/replay-inbox.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { inboxOf } from '../../durably.ts'
import { ReplayOutcome, ReplayRequest } from '../../schemas/inbox.ts'

export const replayInboxRoute = defineRoute(
  {
    operationId: 'replayInbox',
    method: 'post',
    path: '/triggers/inbox/replay',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
    summary: 'Process deliveries once more, or say what would happen',
    description:
      '`force` processes anew, `if_no_run` only what led to no run, `simulate` matches the rules and changes nothing. Name the deliveries by `ids` or by a time from `since`. Only with OBS_TRIGGER_DURABLE=1.',
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
