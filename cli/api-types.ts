import type { z } from 'zod'
import type { RunEvent as RunEventSchema } from '#core/run/event-schema.ts'
import type { Run as RunSchema } from '#core/run/schema.ts'

export type Run = z.infer<typeof RunSchema>
export type RunEvent = z.infer<typeof RunEventSchema>
