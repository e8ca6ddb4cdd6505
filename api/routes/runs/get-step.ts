import { RunStepDetail } from '#core/run/step-schema.ts'
import { getStep } from '#services/runs/get-step.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { StepParams } from '../../schemas/params.ts'

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
