import { z } from '@hono/zod-openapi'
import { HaltRecord } from '#core/halt/schema.ts'
import { listHalts } from '#services/halts/list-halts.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listHaltsRoute = defineRoute(
  {
    operationId: 'listHalts',
    method: 'get',
    path: '/console/api/halts',
    tags: ['halts'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the halts in force',
    description:
      'Those over every workspace and those of the workspaces that the caller may enter, the newest first. One over every workspace says who set it only to those who may enter all, and counts the runs that it holds in yours.',
    responses: { 200: ok(z.array(HaltRecord), 'The halts in force') },
  },
  async (c) => c.json(await listHalts({ ...c.get('ctx'), directory: c.get('deps').workspaces }), 200),
)
