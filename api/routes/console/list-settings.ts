import { z } from '@hono/zod-openapi'
import { SettingRecord } from '#core/config/setting-schema.ts'
import { listSettings } from '#services/config/list-settings.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listSettingsRoute = defineRoute(
  {
    operationId: 'listSettings',
    method: 'get',
    path: '/console/api/settings',
    tags: ['meta'],
    access: 'read',
    auth: 'admin',
    scope: 'account',
    summary: 'List the effective settings, with secrets hidden',
    description: 'Of the API that answers, as `svc config` prints them, for owners and admins of all workspaces.',
    responses: { 200: ok(z.array(SettingRecord), 'The settings') },
  },
  (c) => c.json(listSettings({ ...c.get('ctx'), ...c.get('deps').deployment }), 200),
)
