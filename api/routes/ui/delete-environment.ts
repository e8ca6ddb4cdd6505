import { DeletedSetting } from '#core/environment-console-schema.ts'
import { deleteSetting } from '#services/settings/delete-setting.ts'
import { environmentKind } from '#services/settings/environment-kind.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteEnvironmentRoute = defineRoute(
  {
    operationId: 'deleteEnvironment',
    method: 'delete',
    path: '/ui/api/environments/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Take back what the console says about an environment',
    description:
      'What its file says is in force again; one that stands in the console alone is gone, and nothing in it does more than read from then on.',
    request: { params: AuthoredParams, headers: IfMatch },
    responses: { 200: ok(DeletedSetting, 'What is left of it') },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const if_match = c.req.valid('header')['if-match']
    return c.json(await deleteSetting(ctx, environmentKind(ctx), { name: c.req.valid('param').name, if_match }), 200)
  },
)
