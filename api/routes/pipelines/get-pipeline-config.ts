import { PipelineConfig } from '#core/pipeline/config-schema.ts'
import { getPipelineConfig } from '#services/pipelines/get-pipeline-config.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { PipelineParams } from '../../schemas/params.ts'

export const getPipelineConfigRoute = defineRoute(
  {
    operationId: 'getPipelineConfig',
    method: 'get',
    path: '/pipelines/{id}/config',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'Read the values that a pipeline is composed of',
    description:
      'Each value with the layer that it comes from. Values that depend on steps that have not ended are absent. Secrets are never included.',
    request: { params: PipelineParams },
    responses: { 200: ok(PipelineConfig, 'Every value, by step') },
  },
  async (c) => c.json(await getPipelineConfig(c.get('ctx'), c.req.valid('param').id), 200),
)
