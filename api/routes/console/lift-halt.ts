import { z } from '@hono/zod-openapi'
import { liftHalt } from '#services/halts/lift-halt.ts'
import { defineRoute } from '../../define-route.ts'

export const liftHaltRoute = defineRoute(
  {
    operationId: 'liftHalt',
    method: 'delete',
    path: '/console/api/halts/{id}',
    tags: ['halts'],
    access: 'write',
    auth: 'admin',
    scope: 'account',
    summary: 'Lift a halt',
    description:
      'What it held goes on where it stopped, within about a second, unless another halt holds it too. Every step is judged anew; an approval that was given before stands if it still covers the plan.',
    request: { params: z.object({ id: z.string().max(100).meta({ description: 'Identifier of a halt' }) }) },
    responses: { 204: { description: 'The halt is not in force any more' } },
  },
  async (c) => {
    const { workspaces: directory, identity, reads } = c.get('deps')
    const ctx = { ...c.get('ctx'), directory, users: identity.users, schedules: reads.schedules.store }
    await liftHalt(ctx, c.req.valid('param').id)
    return c.body(null, 204)
  },
)
