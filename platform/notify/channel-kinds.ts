import { z } from 'zod'
import { didYouMean } from '#core/text/did-you-mean.ts'
import type { Channel, ChannelKind } from './channel-kind.ts'
import { email } from './kinds/email.ts'
import { slack } from './kinds/slack.ts'
import { webhook } from './kinds/webhook.ts'

/** Every kind of channel; a new one is a file in `kinds` and a place in this list. */
export const CHANNEL_KINDS: [ChannelKind, ...ChannelKind[]] = [webhook, slack, email]

const [first, ...others] = CHANNEL_KINDS
const kinds = CHANNEL_KINDS.map(({ kind }) => kind).join(', ')

const AnyChannel = z.discriminatedUnion('kind', [first.schema, ...others.map(({ schema }) => schema)], {
  error: (issue) => (issue.code === 'invalid_union' ? `kind: takes ${kinds}${hint(issue.input)}` : undefined),
})

function hint(input: unknown): string {
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined
  return typeof kind === 'string'
    ? didYouMean(
        kind,
        CHANNEL_KINDS.map((each) => each.kind),
      )
    : ''
}

/** `channels.yaml`: a list of channels with names of their own. */
export const ChannelsFile: z.ZodType<Channel[]> = z
  .array(AnyChannel, 'a list of channels')
  .max(100)
  .superRefine((channels, ctx) => {
    const seen = new Set<string>()
    for (const [index, { name }] of channels.entries()) {
      if (seen.has(name)) ctx.addIssue({ code: 'custom', path: [index, 'name'], message: `a second channel ${name}` })
      seen.add(name)
    }
  })
