import { z } from '@hono/zod-openapi'
import { listOperators } from '#services/console/list-operators.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { OperatorShown } from '../../schemas/operators.ts'

export const listOperatorsRoute = defineRoute(
  {
    operationId: 'listOperators',
    method: 'get',
    path: '/console/api/operators',
    tags: ['packs'],
    access: 'read',
    auth: 'user',
    scope: 'account',
    summary: 'List the operators that steps are made of',
    description: 'Their governance facts and the schema of their input, sorted by id.',
    responses: { 200: ok(z.array(OperatorShown), 'Every operator of the deployment') },
  },
  async (c) => c.json(await listOperators(c.get('ctx')), 200),
)
