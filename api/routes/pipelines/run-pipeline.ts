import { pipelineIdOfDelivery } from '#core/inbox/item.ts'
import { PipelineRequest, PipelineStarted } from '#core/pipeline/request-schema.ts'
import { runPipeline } from '#services/pipelines/run-pipeline.ts'
import { defineRoute, json, MAX_INPUTS_BYTES } from '../../define-route.ts'
import { defined } from '../../defined.ts'

export const runPipelineRoute = defineRoute(
  {
    operationId: 'runPipeline',
    method: 'post',
    path: '/pipelines/run',
    tags: ['pipelines'],
    access: 'write',
    auth: 'operator',
    summary: 'Start a pipeline',
    description:
      'Answers as soon as the pipeline is on record. A broken bundle is refused with file, line and column of every fault, and nothing is started.',
    request: { body: json(PipelineRequest) },
    responses: {
      202: {
        description: 'The pipeline, queued',
        headers: { Location: { description: 'Path of the pipeline', schema: { type: 'string' } } },
        content: { 'application/json': { schema: PipelineStarted } },
      },
    },
    problems: ['halted', 'plan_changed', 'not_configured'],
    max_body_bytes: MAX_INPUTS_BYTES,
    idempotent: true,
  },
  async (c) => {
    const { attempt } = c.get('ctx')
    const wish = { ...c.req.valid('json'), pipeline_id: attempt && pipelineIdOfDelivery(attempt.id) }
    const started = await runPipeline(c.get('ctx'), defined(wish))
    c.header('Location', `/pipelines/${started.pipeline_id}`)
    return c.json(started, 202)
  },
)
