import { z } from '@hono/zod-openapi'
import { pipelineIdOfDelivery } from '#core/inbox/item.ts'
import { defined } from '#core/json/json.ts'
import { PipelineConfig } from '#core/pipeline/config-schema.ts'
import { PipelineRequest, PipelineStarted } from '#core/pipeline/request-schema.ts'
import { Pipeline, PipelineEventSnapshot } from '#core/pipeline/schema.ts'
import { PIPELINE_STATUSES } from '#core/pipeline/transitions.ts'
import { cancelPipeline } from '#services/pipelines/cancel-pipeline.ts'
import { getPipelineConfig } from '#services/pipelines/get-pipeline-config.ts'
import { getPipeline, listPipelineEvents, listPipelines } from '#services/pipelines/pipelines.ts'
import { runPipeline } from '#services/pipelines/run-pipeline.ts'
import { defineRoute, json, MAX_INPUTS_BYTES, ok, optionalJson } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { AfterSeq, Entry, PipelineParams, pageSize } from '../../schemas/params.ts'
import { anyOf } from '../../schemas/run-search.ts'
import { streamResponse } from '../../stream-response.ts'

export const streamPipelineRoute = defineRoute(
  {
    operationId: 'streamPipeline',
    method: 'get',
    path: '/pipelines/{id}/stream',
    tags: ['pipelines'],
    access: 'stream',
    auth: 'user',
    summary: 'Follow the events of a pipeline (Server-Sent Events)',
    description:
      'Every event after `after_seq`, or otherwise after `Last-Event-ID`, once and in order, as for runs. After the last event of an ended pipeline the server sends `event: end` and closes.',
    request: {
      params: PipelineParams,
      query: z.object({ after_seq: AfterSeq.optional() }),
      headers: z.object({ 'last-event-id': AfterSeq.optional() }),
    },
    responses: {
      200: {
        description: 'Lines `id`, `event` and `data`; the data is a PipelineEvent',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['rate_limited'],
  },
  async (c) => {
    const after_seq = c.req.valid('query').after_seq ?? c.req.valid('header')['last-event-id'] ?? 0
    return await streamResponse(c, c.get('deps').pipeline_hub, { id: c.req.valid('param').id, after_seq })
  },
)

export const listPipelineEventsRoute = defineRoute(
  {
    operationId: 'listPipelineEvents',
    method: 'get',
    path: '/pipelines/{id}/events',
    tags: ['pipelines'],
    access: 'read',
    auth: 'user',
    summary: 'Read the event log of a pipeline after a number',
    request: {
      params: PipelineParams,
      query: z.object({ after_seq: AfterSeq.default(0), limit: pageSize(1_000, 1_000) }),
    },
    responses: { 200: ok(PipelineEventSnapshot, 'Events in order, without gaps') },
  },
  async (c) => {
    const { id: pipeline_id } = c.req.valid('param')
    return c.json(await listPipelineEvents(c.get('ctx'), { pipeline_id, ...c.req.valid('query') }), 200)
  },
)

const PipelineCancellation = z
  .object({ reason: z.string().max(4_000).optional() })
  .meta({ id: 'PipelineCancellation', description: 'Why a pipeline is cancelled.', example: { reason: 'Superseded' } })

export const cancelPipelineRoute = defineRoute(
  {
    operationId: 'cancelPipeline',
    method: 'post',
    path: '/pipelines/{id}/cancel',
    tags: ['pipelines'],
    verb: cancelPipeline,
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
    responses: { 200: ok(Pipeline, 'The pipeline in its current state') },
  },
  async (c) => c.json(await getPipeline(c.get('ctx'), c.req.valid('param').id), 200),
)

export const runPipelineRoute = defineRoute(
  {
    operationId: 'runPipeline',
    method: 'post',
    path: '/pipelines/run',
    tags: ['pipelines'],
    verb: runPipeline,
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
    const start = { ...c.req.valid('json'), pipeline_id: attempt && pipelineIdOfDelivery(attempt.id) }
    const started = await runPipeline(c.get('ctx'), defined(start))
    c.header('Location', `/pipelines/${started.pipeline_id}`)
    return c.json(started, 202)
  },
)

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
