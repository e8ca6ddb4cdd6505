import { z } from '@hono/zod-openapi'
import { AnsweringAccount, Delegate, User, UserId } from '#core/user/schema.ts'
import {
  addAnsweringAccount,
  listAnsweringAccounts,
  listDelegates,
  removeAnsweringAccount,
} from '#services/auth/answering-accounts.ts'
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

export const removeAnsweringAccountRoute = defineRoute(
  {
    operationId: 'removeAnsweringAccount',
    method: 'delete',
    path: '/auth/me/answering-accounts/{id}',
    tags: ['auth'],
    verb: removeAnsweringAccount,
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

export const addAnsweringAccountRoute = defineRoute(
  {
    operationId: 'addAnsweringAccount',
    method: 'put',
    path: '/auth/me/answering-accounts/{id}',
    tags: ['auth'],
    verb: addAnsweringAccount,
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
