import { z } from '@hono/zod-openapi'
import { ProfileRecord } from '#core/environment-console-schema.ts'
import { listSettings } from '#services/settings/list-settings.ts'
import { profileKind } from '#services/settings/profile-kind.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { pageHeaders } from '../../list-response.ts'
import { TOTAL } from '../../schemas/authored.ts'

export const listProfilesRoute = defineRoute(
  {
    operationId: 'listProfiles',
    method: 'get',
    path: '/ui/api/profiles',
    tags: ['authoring'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List profiles as they are in force, by name',
    description: 'All of the deployment.',
    responses: { 200: { ...ok(z.array(ProfileRecord), 'The profiles'), headers: TOTAL } },
  },
  async (c) => {
    const ctx = { ...c.get('ctx'), ...c.get('deps').authoring }
    const page = await listSettings(ctx, profileKind(ctx))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
