import { EnvironmentRecord } from '#core/environment-console-schema.ts'
import { environmentKind } from '#services/settings/environment-kind.ts'
import { getSetting } from '#services/settings/get-setting.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getEnvironmentRoute = defineRoute(
  {
    operationId: 'getEnvironment',
    method: 'get',
    path: '/ui/api/environments/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read an environment as it is in force, and in which layers something is said about it',
    description: 'What the console says (`document`) is shown to who may enter all workspaces.',
    request: { params: AuthoredParams },
    responses: { 200: { ...ok(EnvironmentRecord, 'The environment'), headers: ETAG } },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const found = await getSetting(ctx, environmentKind(ctx), c.req.valid('param').name)
    return c.json(found, 200, { etag: found.etag })
  },
)
