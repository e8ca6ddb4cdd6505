import { z } from '@hono/zod-openapi'
import { PipelineBundle } from '#core/pipeline/bundle-schema.ts'
import { listPipelineBundles } from '#services/pipelines/list-pipeline-bundles.ts'
import { defineRoute, ok } from '../../define-route.ts'

export const listPipelineBundlesRoute = defineRoute(
  {
    operationId: 'listPipelineBundles',
    method: 'get',
    path: '/console/api/pipeline-bundles',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'List the bundles that pipelines can be started from',
    description: 'As they are on disk now, with what is wrong with those that cannot be started.',
    responses: { 200: ok(z.array(PipelineBundle), 'All bundles') },
  },
  (c) => c.json(listPipelineBundles(c.get('ctx')), 200),
)
