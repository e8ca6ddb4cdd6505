import { z } from '@hono/zod-openapi'
import {
  CreatedSchedule,
  Schedule,
  ScheduleDraft,
  ScheduleEdit,
  ScheduleFires,
  ScheduleId,
  SchedulePreview,
  ScheduleTimesQuery,
} from '#core/schedule/schema.ts'
import { deleteSchedule, updateSchedule } from '#services/schedules/change-schedule.ts'
import { createSchedule } from '#services/schedules/create-schedule.ts'
import { listFires, listSchedules, previewSchedule } from '#services/schedules/list-schedules.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { listOf, pageHeaders, pageQuery } from '../../list-response.ts'
import { ETAG, IfMatch } from '../../schemas/params.ts'

const ScheduleParams = z.object({ id: ScheduleId })

export const previewScheduleRoute = defineRoute(
  {
    operationId: 'previewSchedule',
    method: 'get',
    path: '/triggers/scheduled/preview',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'Say when a cron expression would fire',
    description: 'The next ten times, as a schedule with these fields would have them. Nothing is made.',
    request: { query: ScheduleTimesQuery },
    responses: { 200: ok(SchedulePreview, 'Its next times') },
    problems: ['invalid_schedule'],
  },
  (c) => c.json(previewSchedule(c.get('ctx'), c.req.valid('query')), 200),
)

export const listFiresRoute = defineRoute(
  {
    operationId: 'listFires',
    method: 'get',
    path: '/triggers/scheduled/{id}/fires',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List the next and the last fires of a schedule',
    description: 'The next ten times; none while it is paused. The last fifty that are on record, the newest first.',
    request: { params: ScheduleParams },
    responses: { 200: ok(ScheduleFires, 'Its times') },
  },
  async (c) => c.json(await listFires(c.get('ctx'), c.req.valid('param').id), 200),
)

export const deleteScheduleRoute = defineRoute(
  {
    operationId: 'deleteSchedule',
    method: 'delete',
    path: '/triggers/scheduled/{id}',
    tags: ['triggers'],
    verb: deleteSchedule,
    summary: 'Delete a schedule; its runs stay',
    request: { params: ScheduleParams, headers: IfMatch },
    responses: { 204: { description: 'It fires no more' } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const schedule_id = c.req.valid('param').id
    await deleteSchedule(c.get('ctx'), { schedule_id, if_match: c.req.valid('header')['if-match'] })
    return c.body(null, 204)
  },
)

export const updateScheduleRoute = defineRoute(
  {
    operationId: 'updateSchedule',
    method: 'patch',
    path: '/triggers/scheduled/{id}',
    tags: ['triggers'],
    verb: updateSchedule,
    summary: 'Pause or resume a schedule',
    request: { params: ScheduleParams, headers: IfMatch, body: json(ScheduleEdit) },
    responses: { 200: { ...ok(Schedule, 'The schedule'), headers: ETAG } },
    problems: ['version_conflict', 'conflict'],
  },
  async (c) => {
    const schedule_id = c.req.valid('param').id
    const if_match = c.req.valid('header')['if-match']
    const schedule = await updateSchedule(c.get('ctx'), { schedule_id, if_match, edit: c.req.valid('json') })
    return c.json(schedule, 200, { etag: schedule.etag })
  },
)

export const createScheduleRoute = defineRoute(
  {
    operationId: 'createSchedule',
    method: 'post',
    path: '/triggers/scheduled',
    tags: ['triggers'],
    verb: createSchedule,
    summary: 'Start runs of a template by the clock',
    description: 'Everything that can be wrong with a firing is refused here, except what only its own time decides.',
    request: { body: json(ScheduleDraft) },
    responses: {
      201: {
        description: 'The schedule, its next fires, and what policies would say now',
        headers: { ...ETAG, Location: { description: 'Its address', schema: { type: 'string' } } },
        content: { 'application/json': { schema: CreatedSchedule } },
      },
    },
    problems: ['invalid_schedule', 'conflict'],
    idempotent: true,
  },
  async (c) => {
    const schedule = await createSchedule(c.get('ctx'), c.req.valid('json'))
    return c.json(schedule, 201, { location: `/triggers/scheduled/${schedule.id}`, etag: schedule.etag })
  },
)

export const listSchedulesRoute = defineRoute(
  {
    operationId: 'listSchedules',
    method: 'get',
    path: '/triggers/scheduled',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'List schedules, newest first',
    description: 'Of several layers with the same name only the one in force is listed.',
    request: { query: z.object({ ...pageQuery }) },
    responses: { 200: listOf(Schedule, 'schedules') },
    problems: ['invalid_cursor'],
  },
  async (c) => {
    const page = await listSchedules(c.get('ctx'), c.req.valid('query'))
    pageHeaders(c, page)
    return c.json(page.items, 200)
  },
)
