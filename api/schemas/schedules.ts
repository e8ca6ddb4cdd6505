import { z } from '@hono/zod-openapi'
import { ScheduleId } from '#core/schedule/schema.ts'

export const ScheduleParams = z.object({ id: ScheduleId })
