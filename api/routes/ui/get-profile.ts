import { ProfileRecord } from '#core/environment-console-schema.ts'
import { getSetting } from '#services/settings/get-setting.ts'
import { profileKind } from '#services/settings/profile-kind.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getProfileRoute = defineRoute(
  {
    operationId: 'getProfile',
    method: 'get',
    path: '/ui/api/profiles/{name}',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read a profile as it is in force, and in which layers something is said about it',
    description: 'What the console says (`document`) is shown to who may enter all workspaces.',
    request: { params: AuthoredParams },
    responses: { 200: { ...ok(ProfileRecord, 'The profile'), headers: ETAG } },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const found = await getSetting(ctx, profileKind(ctx), c.req.valid('param').name)
    return c.json(found, 200, { etag: found.etag })
  },
)
