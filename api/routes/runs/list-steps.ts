import { z } from '@hono/zod-openapi'
import { RunStep } from '#core/run/step-schema.ts'
import { listSteps } from '#services/runs/list-steps.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams } from '../../schemas/params.ts'

export const listStepsRoute = defineRoute(
  {
    operationId: 'listSteps',
    method: 'get',
    path: '/runs/{id}/steps',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List the steps of a run with what went in and what came out',
    description:
      'In the order of the plan, also those that have not begun. Data of up to 4 kB is shown whole, of larger data its beginning; the digest is always of all of it.',
    request: { params: RunParams },
    responses: { 200: ok(z.array(RunStep), 'Steps in the order of the plan') },
  },
  async (c) => c.json(await listSteps(c.get('ctx'), c.req.valid('param').id), 200),
)
