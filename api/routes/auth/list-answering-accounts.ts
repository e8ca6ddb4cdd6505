import { z } from '@hono/zod-openapi'
import { AnsweringAccount } from '#core/user/schema.ts'
import { listAnsweringAccounts } from '#services/auth/list-answering-accounts.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listAnsweringAccountsRoute = defineRoute(
  {
    operationId: 'listAnsweringAccounts',
    method: 'get',
    path: '/auth/me/answering-accounts',
    tags: ['auth'],
    access: 'read',
    auth: 'approver',
    scope: 'account',
    summary: 'List the service accounts that could answer gates for you',
    description:
      'Service accounts of your workspaces with the scope `approvals:on_behalf`, by name, at most 500; then those that you have named and that can answer no longer. `PUT` and `DELETE` on one of them say whether it may.',
    responses: { 200: ok(z.array(AnsweringAccount), 'Those that `PUT` takes and those that `DELETE` takes') },
    problems: ['not_configured'],
  },
  async (c) => c.json(await listAnsweringAccounts({ ...c.get('ctx'), ...c.get('deps').identity }), 200),
)
