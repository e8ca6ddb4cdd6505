import { z } from '@hono/zod-openapi'
import { Pipeline } from '#core/pipeline/schema.ts'
import { PIPELINE_STATUSES } from '#core/pipeline/transitions.ts'
import { listPipelines } from '#services/pipelines/list-pipelines.ts'
import { defineRoute } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { anyOf } from '../../schemas/run-search.ts'

const Name = z.string().min(1).max(200).optional()

export const listPipelinesRoute = defineRoute(
  {
    operationId: 'listPipelines',
    method: 'get',
    path: '/pipelines',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'List pipelines, newest first',
    description: 'Filters narrow together.',
    request: {
      query: z.object({
        status: anyOf(PIPELINE_STATUSES, 'pipeline status')
          .optional()
          .meta({
            description: `One status or several with commas between, or the parameter several times: ${PIPELINE_STATUSES.join(', ')}`,
            example: 'blocked',
          }),
        id: z
          .string()
          .regex(/^pl_[0-9a-z]{1,26}$/, 'must be an id, or the first characters of one: pl_ and at least one more')
          .optional()
          .meta({ description: 'Its id, or the first characters of it', example: 'pl_01hzy3v9k5' }),
        name: Name.meta({ description: 'Name of the pipeline', example: 'dataset-release' }),
        environment: Name.meta({ example: 'production' }),
        ...pageQuery,
      }),
    },
    responses: { 200: listOf(Pipeline, 'pipelines') },
    problems: ['invalid_cursor'],
    repeatable: ['status'],
  },
  async (c) => {
    const { status: statuses, ...asked } = c.req.valid('query')
    const page = await listPipelines(c.get('ctx'), { ...asked, statuses })
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
