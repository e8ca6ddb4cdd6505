import { StepAdvanceRequest } from '#core/pipeline/request-schema.ts'
import { Pipeline } from '#core/pipeline/schema.ts'
import { advancePipelineStep } from '#services/pipelines/advance-pipeline-step.ts'
import { getPipeline } from '#services/pipelines/get-pipeline.ts'
import { defineRoute, ok, optionalJson } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { PipelineStepParams } from '../../schemas/params.ts'

export const advancePipelineStepRoute = defineRoute(
  {
    operationId: 'advancePipelineStep',
    method: 'post',
    path: '/pipelines/{id}/steps/{step}/advance',
    tags: ['pipelines'],
    access: 'write',
    auth: 'operator',
    summary: 'Let a step with a manual gate begin',
    description:
      'For steps with `gate: manual`. It approves nothing: while a run of the step waits for an approval, the answer is 409 `needs_approval`. The body may be omitted.',
    request: { params: PipelineStepParams, body: optionalJson(StepAdvanceRequest) },
    responses: { 202: ok(Pipeline, 'The pipeline; the step begins within a moment') },
    problems: ['needs_approval', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const { id, step } = c.req.valid('param')
    await advancePipelineStep(c.get('ctx'), { pipeline_id: id, step, ...defined(c.req.valid('json')) })
    return c.json(await getPipeline(c.get('ctx'), id), 202)
  },
)
