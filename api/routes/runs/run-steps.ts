import { z } from '@hono/zod-openapi'
import { RunStep, RunStepDetail } from '#core/run/step-schema.ts'
import { getStep, listSteps } from '#services/runs/steps.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { RunParams, StepParams } from '../../schemas/params.ts'

export const getStepRoute = defineRoute(
  {
    operationId: 'getStep',
    method: 'get',
    path: '/runs/{id}/steps/{step}',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read a step: inputs, outputs, attempts, simulation and log',
    description:
      'Inputs are as approvers were shown them, outputs without known secrets. Data of up to 256 kB is shown whole, of larger data its beginning. The evidence of a gate links here; its digest is that of `outputs`.',
    request: { params: StepParams },
    responses: { 200: ok(RunStepDetail, 'The step') },
  },
  async (c) => {
    const { id, step } = c.req.valid('param')
    return c.json(await getStep(c.get('ctx'), id, step), 200)
  },
)

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
