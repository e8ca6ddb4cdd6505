import { ScheduleFires } from '#core/schedule/schema.ts'
import { listFires } from '#services/schedules/list-fires.ts'
import { defineRoute, ok } from '../../define-route.ts'
import { ScheduleParams } from '../../schemas/schedules.ts'

export const listFiresRoute = defineRoute(
  {
    operationId: 'listFires',
    method: 'get',
    path: '/triggers/scheduled/{id}/fires',
    tags: ['triggers'],
    access: 'read',
    auth: 'user',
    summary: 'Say when a schedule fires next, and what became of its last times',
    description: 'The next ten times; none while it is paused. The last fifty that are on record, the newest first.',
    request: { params: ScheduleParams },
    responses: { 200: ok(ScheduleFires, 'Its times') },
  },
  async (c) => c.json(await listFires(c.get('ctx'), c.req.valid('param').id), 200),
)
