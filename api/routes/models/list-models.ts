import { listModels } from '#services/models/list-models.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { ModelList } from '../../schemas/chat-answer.ts'

export const listModelsRoute = defineRoute(
  {
    operationId: 'listModels',
    method: 'get',
    path: '/v1/models',
    tags: ['models'],
    access: 'read',
    auth: 'user',
    summary: 'List the models and roles that can be called',
    description: 'In the OpenAI format. A model without prices or limits is not listed, because it is never called.',
    responses: { 200: ok(ModelList, 'Roles first, then models; empty where none is bound') },
  },
  async (c) => {
    const found = listModels({ ...c.get('ctx'), ...c.get('deps').models })
    const data = found.map((each) => ({ ...each, object: 'model' as const, created: 0 }))
    return c.json({ object: 'list' as const, data }, 200)
  },
)
