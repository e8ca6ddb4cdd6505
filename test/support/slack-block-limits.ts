import { z } from 'zod'

const plain = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(max), emoji: z.boolean().optional() })
const markdown = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(max), verbatim: z.boolean().optional() })
const anyText = (max: number) => z.union([plain(max), markdown(max)])

const Button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string().min(1).max(255),
  text: plain(75),
  style: z.enum(['primary', 'danger']).optional(),
  value: z.string().min(1).max(2_000).optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(3_000)
    .optional(),
})

const SlackBlock = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: plain(150) }),
  z.strictObject({ type: z.literal('divider') }),
  z.strictObject({ type: z.literal('context'), elements: z.array(anyText(2_000)).min(1).max(10) }),
  z
    .strictObject({
      type: z.literal('section'),
      text: anyText(3_000).optional(),
      fields: z.array(anyText(2_000)).min(1).max(10).optional(),
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined, 'text or fields'),
  z
    .strictObject({ type: z.literal('actions'), elements: z.array(Button).min(1).max(25) })
    .refine(
      ({ elements }) => new Set(elements.map((each) => each.action_id)).size === elements.length,
      'action ids are unique',
    ),
])

/** What Slack would refuse about a block, by the limits of Block Kit. */
export function blockFault(block: unknown): string | undefined {
  return SlackBlock.safeParse(block).error?.message
}
