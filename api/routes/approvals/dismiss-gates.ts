import { BulkDismissal, DismissalOutcome } from '#core/run/approval-schema.ts'
import { dismissGates } from '#services/approvals/dismiss-gates.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { defined } from '../../defined.ts'

export const dismissGatesRoute = defineRoute(
  {
    operationId: 'dismissGates',
    method: 'post',
    path: '/approvals/dismiss',
    tags: ['approvals'],
    access: 'write',
    auth: 'operator',
    summary: 'Dismiss stale gates, many at once',
    description:
      'With `dry_run` it only says which runs it would end, and answers a `token`; sent along with the real call, the token makes sure that the same gates are meant. At most 500 gates a call, oldest first.',
    request: { body: json(BulkDismissal) },
    responses: { 200: ok(DismissalOutcome, 'What was dismissed, and what was not') },
    problems: ['plan_changed'],
    idempotent: true,
  },
  async (c) => {
    const { reason, ...rest } = c.req.valid('json')
    return c.json(await dismissGates(c.get('ctx'), { reason, ...defined(rest) }), 200)
  },
)
