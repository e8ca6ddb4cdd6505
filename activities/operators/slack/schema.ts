import { z } from 'zod'
import { slackText } from '#core/text/slack-text.ts'
import { ConnectionId } from '../field-schema.ts'

const MAX_BLOCK_CHARS = 30_000

/** A text object: no mention, broadcast or link can be written in it. */
const TextObject = (most: number) =>
  z
    .strictObject({ type: z.enum(['plain_text', 'mrkdwn']), text: z.string().min(1).max(most) })
    .transform(({ type, text }) => ({ type, text: slackText(text, most) }))
const PlainObject = (most: number) => TextObject(most).refine(({ type }) => type === 'plain_text', 'takes plain_text')

/** What only shows something: an element that can be pressed might be taken for a button of a gate. */
const Block = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), text: PlainObject(150) }),
  z.strictObject({ type: z.literal('divider') }),
  z
    .strictObject({
      type: z.literal('section'),
      text: TextObject(3_000).exactOptional(),
      fields: z.array(TextObject(2_000)).min(1).max(10).exactOptional(),
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined, 'takes text or fields'),
  z.strictObject({ type: z.literal('context'), elements: z.array(TextObject(2_000)).min(1).max(10) }),
])

/** What `slack.post` takes. */
export const SlackPostInput = z.strictObject({
  connection: ConnectionId,
  channel: z
    .string()
    .regex(/^(#[^\s#<>@]{1,80}|[CDG][A-Z0-9]{2,20})$/, 'a conversation: #name or its id')
    .describe('A conversation: `#name` or its id'),
  text: z
    .string()
    .min(1)
    .max(4_000)
    .transform((text) => slackText(text, 4_000))
    .describe('The message, or with `blocks` what a notification shows'),
  blocks: z
    .array(Block)
    .min(1)
    .max(50)
    .refine((blocks) => JSON.stringify(blocks).length <= MAX_BLOCK_CHARS, `at most ${MAX_BLOCK_CHARS} characters`)
    .exactOptional()
    .describe('Block Kit: header, section, context and divider'),
  thread_ts: z
    .string()
    .regex(/^\d{1,15}\.\d{1,10}$/, 'the ts of a message')
    .exactOptional()
    .describe('`ts` of the message that it answers'),
})
export type SlackPostInput = z.infer<typeof SlackPostInput>
