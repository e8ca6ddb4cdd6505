import { z } from 'zod'
import type { ChannelConfig } from './types.ts'

const ChannelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a name of lower-case letters, digits, dashes and underscores')

const SecretReference = z
  .string('a secret reference: env:NAME or file:path')
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'a secret reference: env:NAME or file:path, never the secret itself')

/** A list means rotation: the first signs, all verify. */
const RotatingSecret = z.union(
  [SecretReference, z.array(SecretReference).min(1).max(5)],
  'a secret reference, or a list of them: env:NAME or file:path, never the secret itself',
)

const HttpUrl = z.string().max(2_000).refine(isHttpUrl, 'an absolute http or https url without credentials')
const SmtpUrl = z
  .string()
  .refine(isSmtpUrl, 'smtp://host:port or smtps://host:port; credentials go to username and password')

const MailAddress = z.email('a mail address').max(254)
const Sender = z
  .string()
  .max(320)
  .refine(isSender, 'a mail address, or a name and an address: Service <svc@example.org>')

const Webhook = z.strictObject({
  name: ChannelName,
  kind: z.literal('webhook'),
  url: HttpUrl,
  secret: RotatingSecret,
})

const Slack = z.strictObject({
  name: ChannelName,
  kind: z.literal('slack'),
  channel: z.string().regex(/^(#[^\s#<>@]{1,80}|[CDG][A-Z0-9]{2,20})$/, 'a conversation: #name or its id'),
  token: SecretReference,
  signing_secret: RotatingSecret,
  api_url: HttpUrl.exactOptional(),
})

const Email = z
  .strictObject({
    name: ChannelName,
    kind: z.literal('email'),
    smtp: SmtpUrl,
    from: Sender,
    to: z.array(MailAddress).min(1).max(50),
    username: SecretReference.exactOptional(),
    password: SecretReference.exactOptional(),
  })
  .refine((channel) => (channel.username === undefined) === (channel.password === undefined), {
    path: ['username'],
    error: 'username and password go together',
  })

const Channel = z.discriminatedUnion('kind', [Webhook, Slack, Email], {
  error: (issue) => (issue.code === 'invalid_union' ? 'kind: takes webhook, slack, email' : undefined),
})

/** `channels.yaml`: a list of channels with names of their own. */
export const ChannelsFile: z.ZodType<ChannelConfig[]> = z
  .array(Channel, 'a list of channels')
  .max(100)
  .superRefine((channels, ctx) => {
    const seen = new Set<string>()
    for (const [index, { name }] of channels.entries()) {
      if (seen.has(name)) ctx.addIssue({ code: 'custom', path: [index, 'name'], message: `a second channel ${name}` })
      seen.add(name)
    }
  })

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.hostname !== '' && url.username === '' && url.password === ''
}

function isSmtpUrl(text: string): boolean {
  return /^smtps?:\/\/(\[[0-9a-f:.]+\]|[^\s/@?#:[\]]+)(:\d{1,5})?\/?$/i.test(text) && URL.canParse(text)
}

function isSender(text: string): boolean {
  const named = /^[^\p{Cc}<>",;:@]*<([^<>]+)>$/u.exec(text)
  return MailAddress.safeParse(named?.[1] ?? text).success
}
