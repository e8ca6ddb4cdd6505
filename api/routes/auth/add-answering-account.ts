import { z } from '@hono/zod-openapi'
import { User, UserId } from '#core/user/schema.ts'
import { addAnsweringAccount } from '#services/auth/add-answering-account.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const addAnsweringAccountRoute = defineRoute(
  {
    operationId: 'addAnsweringAccount',
    method: 'put',
    path: '/auth/me/answering-accounts/{id}',
    tags: ['auth'],
    access: 'write',
    auth: 'approver',
    scope: 'account',
    summary: 'Let a service account answer gates for you',
    description:
      'The account needs the scope `approvals:on_behalf`. Its answers in your name are your votes, and those of the people who invited it, set its password or made its key: together one vote, and none on what any of you shaped. Naming it again changes nothing.',
    request: { params: z.object({ id: UserId }) },
    responses: { 200: ok(User, 'You, as you are now') },
    problems: ['not_configured', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').identity }
    return c.json(await addAnsweringAccount(ctx, c.req.valid('param').id), 200)
  },
)
