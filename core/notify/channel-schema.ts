import { z } from 'zod'

export const ChannelRecord = z
  .object({
    name: z.string().meta({ example: 'ops-hook' }),
    kind: z.string().meta({ example: 'webhook' }),
    recipients: z.array(z.string()).meta({ description: 'Everybody whom it reaches' }),
    problem: z.string().optional().meta({ description: 'Why it sends nothing and lets nobody in' }),
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
