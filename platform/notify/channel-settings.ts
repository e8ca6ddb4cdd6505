import { z } from 'zod'

export const ChannelName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a name of lower-case letters, digits, dashes and underscores')

export const SecretReference = z
  .string('a secret reference: env:NAME or file:path')
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, 'a secret reference: env:NAME or file:path, never the secret itself')

/** A list means rotation: the first signs, all verify. */
export const RotatingSecret = z.union(
  [SecretReference, z.array(SecretReference).min(1).max(5)],
  'a secret reference, or a list of them: env:NAME or file:path, never the secret itself',
)

export const HttpUrl = z.string().max(2_000).refine(isHttpUrl, 'an absolute http or https url without credentials')

function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const url = new URL(text)
  return /^https?:$/.test(url.protocol) && url.hostname !== '' && url.username === '' && url.password === ''
}
