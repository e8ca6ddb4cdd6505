import { z } from '@hono/zod-openapi'

/** The password grant (RFC 6749 section 4.3.2). `client_secret` is taken and not looked at. */
export const TokenRequest = z
  .object({
    grant_type: z.string().max(100).optional().meta({ description: '`password`, or absent', example: 'password' }),
    username: z.string().min(1).max(254).meta({ description: 'The mail address', example: 'ada@example.test' }),
    password: z.string().min(1).max(200),
    scope: z.string().max(2_000).optional().meta({ description: 'Names with spaces between; all when absent' }),
    client_id: z.string().max(200).optional().meta({
      description:
        'The client that asks. Decisions made with the token are on record as `svc-cli`: cli, `svc-console`: console',
    }),
    client_secret: z.string().max(200).optional(),
  })
  .meta({ id: 'TokenRequest', description: 'Credentials of a user' })

export const TokenAnswer = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'Seconds' }),
    scope: z.string(),
  })
  .meta({ id: 'TokenAnswer', description: 'A bearer token' })

export const TokenRefusal = z
  .object({ error: z.string().meta({ example: 'invalid_grant' }), error_description: z.string() })
  .meta({ id: 'TokenRefusal', description: 'Why there is no token (RFC 6749 section 5.2)' })
