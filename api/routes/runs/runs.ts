import { z } from '@hono/zod-openapi'
import { defined } from '#core/json/json.ts'
import { EventSnapshot } from '#core/run/event-schema.ts'
import { Run } from '#core/run/schema.ts'
import { cancelRun } from '#services/runs/cancel-run.ts'
import { getRun } from '#services/runs/get-run.ts'
import { listRuns } from '#services/runs/list-runs.ts'
import { listEvents } from '#services/runs/watch-events.ts'
import { defineRoute, ok, optionalJson } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { inPlaceOfData, toConsole, wantsPage } from '../../pages/page.ts'
import { AfterSeq, pageSize, RunParams } from '../../schemas/params.ts'
import { runSearch, toRunsAsked } from '../../schemas/run-search.ts'
import { streamResponse } from '../../stream-response.ts'

export const listEventsRoute = defineRoute(
  {
    operationId: 'listEvents',
    method: 'get',
    path: '/runs/{id}/events',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read the event log of a run after a number',
    request: {
      params: RunParams,
      query: z.object({
        after_seq: AfterSeq.default(0),
        limit: pageSize(1_000, 1_000),
      }),
    },
    responses: { 200: ok(EventSnapshot, 'Events in order, without gaps') },
  },
  async (c) =>
    c.json(await listEvents(c.get('ctx'), { run_id: c.req.valid('param').id, ...c.req.valid('query') }), 200),
)

export const streamRunRoute = defineRoute(
  {
    operationId: 'streamRun',
    method: 'get',
    path: '/runs/{id}/stream',
    tags: ['runs'],
    access: 'stream',
    auth: 'user',
    summary: 'Follow the events of a run (Server-Sent Events)',
    description:
      'Every event after `after_seq`, or else after `Last-Event-ID`, once and in order. After the last event of an ended run comes `event: end` and the server closes. A reader that has 1 MiB unread and takes nothing for some seconds is cut off; it resumes where it was.',
    request: {
      params: RunParams,
      query: z.object({ after_seq: AfterSeq.optional() }),
      headers: z.object({ 'last-event-id': AfterSeq.optional() }),
    },
    responses: {
      200: {
        description: 'Lines `id`, `event` and `data`; the data is a RunEvent',
        content: { 'text/event-stream': { schema: z.string() } },
      },
    },
    problems: ['rate_limited'],
  },
  async (c) => {
    const after_seq = c.req.valid('query').after_seq ?? c.req.valid('header')['last-event-id'] ?? 0
    return await streamResponse(c, c.get('deps').hub, { id: c.req.valid('param').id, after_seq })
  },
)

const Cancellation = z
  .object({ reason: z.string().max(4_000).optional() })
  .meta({ id: 'Cancellation', description: 'Why a run is cancelled.', example: { reason: 'Started by mistake' } })

export const cancelRunRoute = defineRoute(
  {
    operationId: 'cancelRun',
    method: 'post',
    path: '/runs/{id}/cancel',
    tags: ['runs'],
    verb: cancelRun,
    only_ends: true,
    summary: 'Cancel a run',
    description:
      'A parked gate is closed; a running step is notified, and its end awaited. A compensation is cancelled by admins alone. The body may be left out.',
    request: { params: RunParams, body: optionalJson(Cancellation) },
    responses: { 202: ok(Run, 'The run on its way to `cancelled`') },
    problems: ['run_terminal', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const { id } = c.req.valid('param')
    await cancelRun(c.get('ctx'), { run_id: id, ...defined(c.req.valid('json')) })
    return c.json(await getRun(c.get('ctx'), id), 202)
  },
)

export const getRunRoute = defineRoute(
  {
    operationId: 'getRun',
    method: 'get',
    path: '/runs/{id}',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'Read a run with its provenance and live progress',
    description:
      'A browser (`Accept: text/html`) is sent to the run in the console, which asks for a sign-in where one is needed: links in messages lead here.',
    refusal: (error, c) => (error.code === 'unauthenticated' && wantsPage(c) ? toConsole(c) : undefined),
    request: { params: RunParams },
    responses: { 200: ok(Run, 'The run'), 303: { description: 'To the run in the console' } },
  },
  async (c) => {
    if (wantsPage(c)) return inPlaceOfData(toConsole(c))
    c.header('vary', 'Accept')
    return c.json(await getRun(c.get('ctx'), c.req.valid('param').id), 200)
  },
)

export const listRunsRoute = defineRoute(
  {
    operationId: 'listRuns',
    method: 'get',
    path: '/runs',
    tags: ['runs'],
    access: 'read',
    auth: 'user',
    summary: 'List runs, newest first',
    description:
      'Filters narrow together. Beside `lane` and `status` a request looks at a thousand runs: a page may be short, or empty, while `Link` names the next one.',
    request: { query: z.object({ ...runSearch, ...pageQuery }) },
    responses: { 200: listOf(Run, 'runs') },
    problems: ['invalid_cursor'],
    repeatable: ['lane', 'status'],
  },
  async (c) => {
    const page = await listRuns(c.get('ctx'), toRunsAsked(c.req.valid('query')))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
