import { z } from '@hono/zod-openapi'
import { ConsoleRule } from '#core/trigger/console-schema.ts'
import { listConsoleTriggers } from '#services/console-rules/list-console-triggers.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listConsoleTriggersRoute = defineRoute(
  {
    operationId: 'listConsoleTriggers',
    method: 'get',
    path: '/ui/api/triggers',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    summary: 'List the rules that were authored in the console, in the order in which they are tried',
    description: 'All of the workspace; there are at most 200.',
    responses: { 200: { ...ok(z.array(ConsoleRule), 'The rules'), headers: TOTAL } },
  },
  async (c) => {
    const page = await listConsoleTriggers({ ...c.get('ctx'), ...c.get('deps').authoring })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
