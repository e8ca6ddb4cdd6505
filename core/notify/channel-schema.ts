import { z } from 'zod'
import { CONNECTION_NOTICE_KINDS, DIGEST_NOTICE_KINDS, HALT_NOTICE_KINDS, NOTICE_KINDS } from './contract.ts'

/** States of a notice. `cancelled`: its gate was answered before it was sent; `folded`: a digest tells it. */
export const DELIVERY_STATES = ['planned', 'delivered', 'retrying', 'failed', 'cancelled', 'folded'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds' })

export const NoticeDelivery = z
  .object({
    id: z.string(),
    run_id: z
      .string()
      .optional()
      .meta({ description: 'Absent for a message about a halt or a connection, and for one of a digest' }),
    reason: z.string().optional().meta({ description: 'The reason of that run', example: 'api answers 503' }),
    gate_id: z.string().optional().meta({ description: 'Absent for how a run ended' }),
    halt_id: z.string().optional().meta({ description: 'Of a message about a halt' }),
    connection_id: z
      .string()
      .optional()
      .meta({ description: 'Of a message about what was authorised for a connection' }),
    digest_id: z
      .string()
      .optional()
      .meta({ description: 'The digest that tells a `folded` notice, or whose message this is' }),
    kind: z.enum([...NOTICE_KINDS, 'ended', ...HALT_NOTICE_KINDS, ...DIGEST_NOTICE_KINDS, ...CONNECTION_NOTICE_KINDS]),
    channel: z.string().meta({ example: 'ops-hook' }),
    recipient: z.string().meta({ example: 'oncall@example.test' }),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    last_error: z.string().optional().meta({ description: 'Why the last attempt failed' }),
    planned_at: Time,
    last_attempt_at: Time.optional(),
    delivered_at: Time.optional(),
    next_attempt_at: Time.optional().meta({ description: 'About when it is tried again' }),
  })
  .meta({ id: 'NoticeDelivery', description: 'A notice to one recipient, and its delivery.' })
export type NoticeDelivery = z.infer<typeof NoticeDelivery>

export const ChannelRecord = z
  .object({
    name: z.string().meta({ example: 'ops-hook' }),
    kind: z.string().meta({ example: 'webhook' }),
    recipients: z.array(z.string()).meta({ description: 'Everybody whom it reaches' }),
    problem: z.string().optional().meta({ description: 'Why it sends nothing and accepts no answer' }),
  })
  .meta({ id: 'ChannelRecord', description: 'A channel of `channels.yaml`, without its secrets' })
export type ChannelRecord = z.infer<typeof ChannelRecord>

export const ChannelTest = z
  .object({
    sent: z.array(
      z.object({
        ok: z.boolean(),
        detail: z.string().meta({ example: 'oncall@example.test took a test message' }),
      }),
    ),
  })
  .meta({ id: 'ChannelTest', description: 'What each recipient answered to a message that says that it is a test' })
export type ChannelTest = z.infer<typeof ChannelTest>
