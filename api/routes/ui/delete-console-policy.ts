import { DeletedPolicy } from '#core/policy/console-schema.ts'
import { deleteConsolePolicy } from '#services/console-policies/delete-console-policy.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteConsolePolicyRoute = defineRoute(
  {
    operationId: 'deleteConsolePolicy',
    method: 'delete',
    path: '/ui/api/policies/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    summary: 'Delete a policy of the console',
    description: 'In an environment that attaches it still, the gate is on until it is detached or there again.',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 200: ok(DeletedPolicy, 'What it leaves behind') },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    return c.json(await deleteConsolePolicy(ctx, { name: c.req.valid('param').name, if_match }), 200)
  },
)
