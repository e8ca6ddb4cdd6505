import { z } from '@hono/zod-openapi'
import { Pipeline } from '#core/pipeline/schema.ts'
import { cancelPipeline } from '#services/pipelines/cancel-pipeline.ts'
import { getPipeline } from '#services/pipelines/get-pipeline.ts'
import { defineRoute, ok, optionalJson } from '../../define-route.ts'
import { defined } from '../../defined.ts'
import { PipelineParams } from '../../schemas/params.ts'

const PipelineCancellation = z
  .object({ reason: z.string().max(4_000).optional() })
  .meta({ id: 'PipelineCancellation', description: 'Why a pipeline is cancelled.', example: { reason: 'Superseded' } })

export const cancelPipelineRoute = defineRoute(
  {
    operationId: 'cancelPipeline',
    method: 'post',
    path: '/pipelines/{id}/cancel',
    tags: ['pipelines'],
    access: 'write',
    auth: 'operator',
    only_ends: true,
    summary: 'Cancel a pipeline',
    description:
      'No further step begins, its runs are cancelled, and what they did is compensated where steps say how. The body may be omitted.',
    request: { params: PipelineParams, body: optionalJson(PipelineCancellation) },
    responses: { 202: ok(Pipeline, 'The pipeline on its way to `cancelled`') },
    problems: ['run_terminal'],
    idempotent: true,
  },
  async (c) => {
    const { id } = c.req.valid('param')
    await cancelPipeline(c.get('ctx'), { pipeline_id: id, ...defined(c.req.valid('json')) })
    return c.json(await getPipeline(c.get('ctx'), id), 202)
  },
)
