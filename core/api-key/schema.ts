import { z } from 'zod'
import { KEY_SCOPES } from './scopes.ts'

/** Longest life of a key, and the usual one. */
export const KEY_DAYS = { most: 366, usual: 90 } as const

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds' })
const Scopes = z
  .array(z.enum(KEY_SCOPES))
  .min(1)
  .max(KEY_SCOPES.length)
  .meta({ description: 'What the key is good for; each scope names some operations and implies none of the others' })

export const ApiKeyId = z
  .string()
  .regex(/^key_[0-9a-z]{26}$/)
  .meta({ example: 'key_01hzx3v8k2m4n6p8q0r2s4t6v8' })

/** A key, without its secret. */
export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: 'How the key begins', example: 'svc_4fT9xQ2b' }),
    account: z.string().meta({ description: 'The service account that it speaks for' }),
    scopes: Scopes,
    workspace_id: z.string().optional().meta({ description: 'The only workspace that it may enter' }),
    daily_usd: z
      .number()
      .optional()
      .meta({ description: 'What its calls of models may cost a UTC day, in US dollars' }),
    status: z.enum(['active', 'expired', 'revoked']),
    created_by: z.string().optional().meta({ description: 'Absent for a user outside of your workspaces' }),
    created_at: Time,
    expires_at: Time,
    last_used_at: Time.optional().meta({ description: 'To the minute; absent while it was never used' }),
    revoked_at: Time.optional(),
    revoked_by: z.string().optional(),
  })
  .meta({ id: 'ApiKey', description: 'A key with which the programs of a service account come in' })
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyDraft = z
  .strictObject({
    name: z.string().trim().min(1).max(100).meta({ description: 'What it is for', example: 'nightly deploys' }),
    account: z
      .string()
      .min(1)
      .max(254)
      .meta({ description: 'Id or mail address of a service account', example: 'ci@example.test' }),
    scopes: Scopes.optional().meta({ description: '`runs:read` by default' }),
    workspace_id: z
      .string()
      .regex(/^ws_[0-9a-z]{26}$/)
      .optional()
      .meta({ description: 'Binds it to one of the workspaces of the account' }),
    daily_usd: z.number().min(0).max(1_000_000).optional().meta({
      description: 'Cap on its model calls per UTC day, in US dollars; none of its own by default',
    }),
    expires_in_days: z
      .int()
      .min(1)
      .max(KEY_DAYS.most)
      .optional()
      .meta({ description: `${KEY_DAYS.usual} unless it is said` }),
  })
  .meta({ id: 'ApiKeyDraft' })
export type ApiKeyDraft = z.infer<typeof ApiKeyDraft>

export const CreatedApiKey = ApiKey.extend({
  token: z.string().meta({ description: 'The key itself, shown this once: send it as a bearer token' }),
}).meta({ id: 'CreatedApiKey', description: 'The key, with what lets its holder in' })
export type CreatedApiKey = z.infer<typeof CreatedApiKey>
