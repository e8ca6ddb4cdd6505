import { z } from '@hono/zod-openapi'
import { RegisteredModel } from '#core/models/registry-schema.ts'
import { listRegisteredModels } from '#services/models/list-registered-models.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listRegisteredModelsRoute = defineRoute(
  {
    operationId: 'listRegisteredModels',
    method: 'get',
    path: '/console/api/models',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    summary: 'List the models of the deployment, and why some of them are never called',
    description:
      'Those of `models.yaml`: provider, endpoint, whether the key resolves, prices, limits, roles and the last probe in this workspace. It says where a key is, and never the key.',
    responses: {
      200: ok(z.array(RegisteredModel), 'Every model, in the order of the file; empty where none is bound'),
    },
  },
  async (c) => c.json(await listRegisteredModels({ ...c.get('ctx'), ...c.get('deps').models }), 200),
)
