import { ProfileForm, ProfileFormEdit } from '#core/environment-console-schema.ts'
import { putProfileForm } from '#services/settings/put-profile-form.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const putProfileFormRoute = defineRoute(
  {
    operationId: 'putProfileForm',
    method: 'put',
    path: '/ui/api/profiles/{name}/form',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console what a form of a profile says, over its file',
    description:
      'A field that is left out says nothing: what the file says stays. Comments of the text stay. Takes an owner or admin of all workspaces.',
    request: { params: AuthoredParams, headers: IfMatch, body: json(ProfileFormEdit) },
    responses: { 200: { ...ok(ProfileForm, 'The form, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { values } = c.req.valid('json')
    const if_match = c.req.valid('header')['if-match']
    const form = await putProfileForm(ctx, { name: c.req.valid('param').name, if_match, values })
    return c.json(form, 200, { etag: form.etag })
  },
)
