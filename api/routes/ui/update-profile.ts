import { ProfileDraft, ProfileRecord } from '#core/environment-console-schema.ts'
import { profileKind } from '#services/settings/profile-kind.ts'
import { updateSetting } from '#services/settings/update-setting.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { AuthoredParams } from '../../schemas/authored.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'
import { PROFILE_EXAMPLE } from './create-profile.ts'

export const updateProfileRoute = defineRoute(
  {
    operationId: 'updateProfile',
    method: 'put',
    path: '/ui/api/profiles/{name}',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Say in the console what a profile is, over its file',
    description:
      'What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { params: AuthoredParams, headers: IfMatch, body: documentBody(ProfileDraft, PROFILE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: { 200: { ...ok(ProfileRecord, 'The profile, as it is in force'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const { name } = c.req.valid('param')
    const if_match = c.req.valid('header')['if-match']
    const changed = await updateSetting(ctx, profileKind(ctx), { name, if_match, document: documentText(c) })
    return c.json(changed, 200, { etag: changed.etag })
  },
)
