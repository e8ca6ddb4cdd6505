import { z } from '@hono/zod-openapi'
import { User, UserId } from '#core/user/schema.ts'
import { removeAnsweringAccount } from '#services/auth/remove-answering-account.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const removeAnsweringAccountRoute = defineRoute(
  {
    operationId: 'removeAnsweringAccount',
    method: 'delete',
    path: '/auth/me/answering-accounts/{id}',
    tags: ['auth'],
    access: 'write',
    auth: 'approver',
    scope: 'account',
    summary: 'Let a service account no longer answer gates for you',
    description: 'What it has answered in your name counts no longer at gates that are open.',
    request: { params: z.object({ id: UserId }) },
    responses: { 200: ok(User, 'You, as you are now') },
    problems: ['not_configured'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').identity }
    return c.json(await removeAnsweringAccount(ctx, c.req.valid('param').id), 200)
  },
)
