import { Pipeline } from '#core/pipeline/schema.ts'
import { getPipeline } from '#services/pipelines/get-pipeline.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PipelineParams } from '../../schemas/params.ts'

export const getPipelineRoute = defineRoute(
  {
    operationId: 'getPipeline',
    method: 'get',
    path: '/pipelines/{id}',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'Read a pipeline with its steps and their runs',
    request: { params: PipelineParams },
    responses: { 200: ok(Pipeline, 'The pipeline as it stands') },
  },
  async (c) => c.json(await getPipeline(c.get('ctx'), c.req.valid('param').id), 200),
)
