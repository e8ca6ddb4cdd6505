import { Schedule, ScheduleEdit } from '#core/schedule/schema.ts'
import { updateSchedule } from '#services/schedules/update-schedule.ts'
import { defineRoute, json, ok } from '../../define-route.ts'
import { ScheduleParams } from '../../schemas/schedules.ts'
import { ETAG, IfMatch } from '../../schemas/workspaces.ts'

export const updateScheduleRoute = defineRoute(
  {
    operationId: 'updateSchedule',
    method: 'patch',
    path: '/triggers/scheduled/{id}',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
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
