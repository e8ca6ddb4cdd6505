import { z } from '@hono/zod-openapi'
import { INBOX_STATUSES, type InboxStatus, REPLAY_MODES, REPLAY_OUTCOMES } from '#core/inbox/item.ts'

const Failure = z.object({ code: z.string(), message: z.string() })

const DeliveryId = z
  .string()
  .regex(/^dlv_[0-9a-z]{26}$/)
  .meta({ example: 'dlv_01j2zq4nsk8v0c1tq6r5m9x7wd' })

export const InboxItem = z
  .object({
    id: z.string(),
    received_at: z.iso.datetime(),
    route: z.string().meta({ example: '/triggers/alert' }),
    source: z.string().nullable(),
    status: z.enum(INBOX_STATUSES),
    attempts: z.int(),
    run_id: z.string().optional(),
    error: Failure.optional(),
    headers: z.record(z.string(), z.string()).meta({ description: 'Those that say what was sent; never a proof' }),
    body_digest: z.string(),
    body: z
      .unknown()
      .optional()
      .openapi({
        type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
        items: {},
        description: 'With `body=1`; what is named like a secret is hidden',
      }),
  })
  .meta({ id: 'InboxItem', description: 'A delivery, and its outcome.' })

export const ReplayOutcome = z
  .object({
    id: z.string(),
    outcome: z.enum(REPLAY_OUTCOMES),
    run_id: z.string().optional(),
    error: Failure.optional(),
    would: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .meta({ description: 'What would happen to each part of the delivery now' }),
  })
  .meta({ id: 'ReplayOutcome', description: 'What a replay did with one delivery.' })

export const ReplayRequest = z.strictObject({
  ids: z.array(DeliveryId).min(1).max(500).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  status: z.enum(INBOX_STATUSES).optional(),
  mode: z.enum(REPLAY_MODES).meta({ description: '`simulate` changes nothing' }),
})

/** One or several statuses, separated by commas. */
export const InboxStatuses = z
  .string()
  .max(200)
  .meta({ description: `One status or several with commas between: ${INBOX_STATUSES.join(', ')}`, example: 'failed' })
  .transform((text, check) =>
    text.split(',').map((word): InboxStatus => {
      const status = INBOX_STATUSES.find((known) => known === word)
      if (status === undefined) check.addIssue({ code: 'custom', message: 'is not a status of the inbox', input: word })
      return status ?? 'received'
    }),
  )
