import { z } from '@hono/zod-openapi'
import { ConsolePolicy } from '#core/policy/console-schema.ts'
import { listConsolePolicies } from '#services/console-policies/list-console-policies.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listConsolePoliciesRoute = defineRoute(
  {
    operationId: 'listConsolePolicies',
    method: 'get',
    path: '/ui/api/policies',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'List the policies that were authored in the console, by name',
    description: 'All of the workspace; there are at most 200.',
    responses: { 200: { ...ok(z.array(ConsolePolicy), 'The policies'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listConsolePolicies({ ...c.get('ctx'), ...c.get('deps').authoring })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
