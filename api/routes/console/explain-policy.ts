import { z } from '@hono/zod-openapi'
import { PolicyTouch } from '#core/policy/view-schema.ts'
import { explainPolicy } from '#services/policies/explain-policy.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const explainPolicyRoute = defineRoute(
  {
    operationId: 'explainPolicy',
    method: 'get',
    path: '/console/api/policies/{name}/explain',
    tags: ['policies'],
    access: 'read',
    auth: 'user',
    summary: 'Which steps a policy touches',
    description:
      'Each step of each template in each environment of the workspace, or in the one that is named, with what the policy asks for there and what becomes of the step. A policy that does not count somewhere touches nothing there.',
    request: {
      params: z.object({ name: z.string().min(1).max(200).meta({ example: 'guard' }) }),
      query: z.object({ environment: z.string().min(1).max(100).optional() }),
    },
    responses: { 200: ok(z.array(PolicyTouch), 'The steps that it touches') },
  },
  async (c) => c.json(await explainPolicy(c.get('ctx'), c.req.valid('param').name, c.req.valid('query')), 200),
)
