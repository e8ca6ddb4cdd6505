import { z } from '@hono/zod-openapi'
import { listPacks } from '#services/packs/list-packs.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PackTemplate } from '../../schemas/packs.ts'

export const listPacksRoute = defineRoute(
  {
    operationId: 'listPacks',
    method: 'get',
    path: '/packs',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    summary: 'List the registered templates',
    responses: { 200: ok(z.array(PackTemplate), 'One item per template of every pack') },
  },
  async (c) => c.json(await listPacks(c.get('ctx')), 200),
)
