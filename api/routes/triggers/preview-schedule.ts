import { SchedulePreview, ScheduleTimesQuery } from '#core/schedule/schema.ts'
import { previewSchedule } from '#services/schedules/preview-schedule.ts'
import { defineRoute, ok } from '../../define-route.ts'

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
