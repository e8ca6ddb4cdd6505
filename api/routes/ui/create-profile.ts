import { ProfileDraft, ProfileRecord } from '#core/environment-console-schema.ts'
import { createSetting } from '#services/settings/create-setting.ts'
import { profileKind } from '#services/settings/profile-kind.ts'
import { documentBody, documentText, MAX_DOCUMENT_BYTES } from '../../authored-body.ts'
import { defineRoute } from '../../define-route.ts'
import { LOCATION } from '../../schemas/authored.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const PROFILE_EXAMPLE = `name: careful
requires_approval: [service.restart]
limits: { max_usd: 0.2 }
`

export const createProfileRoute = defineRoute(
  {
    operationId: 'createProfile',
    method: 'post',
    path: '/ui/api/profiles',
    tags: ['authoring'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Make a profile that stands in the console alone',
    description:
      'What is absent stays as its file says. Takes an owner or admin of all workspaces. `loosens` names the settings by which something may be laxer now. Every process follows within about a second; what was approved before is judged again at its step.',
    request: { body: documentBody(ProfileDraft, PROFILE_EXAMPLE) },
    max_body_bytes: MAX_DOCUMENT_BYTES,
    responses: {
      201: {
        description: 'The profile, as it is in force',
        headers: { ...ETAG, ...LOCATION },
        content: { 'application/json': { schema: ProfileRecord } },
      },
    },
    problems: ['conflict'],
    idempotent: true,
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const made = await createSetting(ctx, profileKind(ctx), documentText(c))
    return c.json(made, 201, { location: `/ui/api/profiles/${made.name}`, etag: made.etag })
  },
)
