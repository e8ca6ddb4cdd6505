import { ProfileForm } from '#core/environment-console-schema.ts'
import { getProfileForm } from '#services/settings/get-profile-form.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const getProfileFormRoute = defineRoute(
  {
    operationId: 'getProfileForm',
    method: 'get',
    path: '/ui/api/profiles/{name}/form',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'Read a profile as a form shows it: the schema, what the console says, and what counts',
    request: { params: AuthoredParams },
    responses: { 200: { ...ok(ProfileForm, 'The form'), headers: ETAG } },
    problems: ['conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const form = await getProfileForm(ctx, c.req.valid('param').name)
    return c.json(form, 200, { etag: form.etag })
  },
)
