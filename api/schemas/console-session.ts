import { z } from '@hono/zod-openapi'
import { User } from '#core/user/schema.ts'

export const ConsoleSession = z
  .object({
    authentication: z
      .enum(['on', 'off'])
      .meta({ description: '`off`: nobody signs in, and everybody is the local owner' }),
    user: User.nullable().meta({ description: 'Who is signed in' }),
    csrf: z
      .string()
      .nullable()
      .meta({ description: 'For the header `X-Svc-Csrf`, which every call with the cookie carries' }),
    expires_at: z.iso.datetime().nullable().meta({ description: 'When the session ends unless it is renewed' }),
  })
  .meta({ id: 'ConsoleSession', description: 'The session of a browser.' })

export const ConsoleSignIn = z.strictObject({ email: z.string().max(254), password: z.string().max(1_000) }).meta({
  id: 'ConsoleSignIn',
  description: 'What the sign-in of the console sends.',
  example: { email: 'ann@example.com', password: 'correct horse battery staple' },
})
