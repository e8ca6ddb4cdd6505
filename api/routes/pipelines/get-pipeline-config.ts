import { z } from '@hono/zod-openapi'
import { PipelineConfig } from '#core/pipeline/config-schema.ts'
import { getPipelineConfig } from '#services/pipelines/get-pipeline-config.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { Entry, PipelineParams } from '../../schemas/params.ts'

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
      'Each value with the layer that it comes from. Values that depend on steps that have not ended are absent. A step with `for_each` shows one of its entries, the first by default. Secrets are never included.',
    request: { params: PipelineParams, query: z.object({ entry: Entry.default(0) }) },
    responses: { 200: ok(PipelineConfig, 'Every value, by step') },
  },
  async (c) => {
    const { id } = c.req.valid('param')
    return c.json(await getPipelineConfig(c.get('ctx'), { pipeline_id: id, ...c.req.valid('query') }), 200)
  },
)
