import { CreatedSchedule, ScheduleDraft } from '#core/schedule/schema.ts'
import { createSchedule } from '#services/schedules/create-schedule.ts'
import { defineRoute, json } from '../../define-route.ts'
import { ETAG } from '../../schemas/workspaces.ts'

export const createScheduleRoute = defineRoute(
  {
    operationId: 'createSchedule',
    method: 'post',
    path: '/triggers/scheduled',
    tags: ['triggers'],
    access: 'write',
    auth: 'operator',
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
