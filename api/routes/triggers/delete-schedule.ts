import { deleteSchedule } from '#services/schedules/delete-schedule.ts'
import { defineRoute } from '../../define-route.ts'
import { ScheduleParams } from '../../schemas/schedules.ts'
import { IfMatch } from '../../schemas/workspaces.ts'

export const deleteScheduleRoute = defineRoute(
  {
    operationId: 'deleteSchedule',
    method: 'delete',
    path: '/triggers/scheduled/{id}',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
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
