import { deleteConsoleTrigger } from '#services/console-rules/delete-console-trigger.ts'
import { defineRoute } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteConsoleTriggerRoute = defineRoute(
  {
    operationId: 'deleteConsoleTrigger',
    method: 'delete',
    path: '/ui/api/triggers/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a rule of the console',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 204: { description: 'It starts nothing any more' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    await deleteConsoleTrigger(ctx, { name: c.req.valid('param').name, if_match })
    return c.body(null, 204)
  },
)
