import { z } from 'zod'
import { Name } from '#core/names/name-schema.ts'
import { sha256 } from '../sha256.ts'

/**
 * Networks that a destination of the deployment may be in, besides public ones: its own networks and this machine. Link-local stays closed,
 * because it has a cloud's metadata service.
 */
export const DEPLOYMENT_NETWORK = [
  'loopback',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
]

export const ChannelName = Name

/** Notices of gates to one recipient in a minute; further ones are told by a digest. 0: none is. */
export const MaxPerMinute = z.int().min(0).max(1_000)

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

/** Returns the name of a recipient with a suffix that distinguishes it, without revealing its address. */
export function recipientName(name: string, by: string): string {
  return `${name}#${sha256(by).slice(0, 8)}`
}
