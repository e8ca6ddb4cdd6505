import { z } from '@hono/zod-openapi'
import { Delegate } from '#core/user/schema.ts'
import { listDelegates } from '#services/auth/list-delegates.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listDelegatesRoute = defineRoute(
  {
    operationId: 'listDelegates',
    method: 'get',
    path: '/auth/delegates',
    tags: ['auth'],
    access: 'read',
    auth: 'approver',
    scope: 'account',
    summary: 'List who could answer gates for you while you are away',
    description: 'People of your workspaces who can sign in, by name; at most 500. `PATCH /auth/me` names one of them.',
    responses: { 200: ok(z.array(Delegate), 'Those whom `delegate_to` takes') },
  },
  async (c) => c.json(await listDelegates({ ...c.get('ctx'), ...c.get('deps').identity }), 200),
)
