import { z } from '@hono/zod-openapi'

/** Of a policy, a rule, an environment or a profile. */
export const AuthoredParams = z.object({ name: z.string().min(1).max(100).meta({ example: 'night-guard' }) })

export const LOCATION = { Location: { description: 'Its address', schema: { type: 'string' } } } as const

export const TOTAL = {
  'X-Total-Count': { description: 'How many there are', schema: { type: 'integer' } },
} as const
