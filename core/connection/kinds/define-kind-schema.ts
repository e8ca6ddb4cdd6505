import { z } from 'zod'
import type { JsonObject } from '../../json/json.ts'

export const CONNECTION_AUTH = ['none', 'basic', 'bearer', 'key', 'oauth2'] as const
export type ConnectionAuth = (typeof CONNECTION_AUTH)[number]

interface Problem {
  field: string
  message: string
}

export interface Kind<Config extends JsonObject = JsonObject> {
  title: string
  auth: readonly [ConnectionAuth, ...ConnectionAuth[]]
  /** how people call the secret of each kind of authentication */
  secret: string
  config: z.ZodType<Config>
  /** what is missing for this kind of authentication */
  problem(config: Config, auth: ConnectionAuth): Problem | undefined
  /** the part of it that decides who receives the secret */
  address(config: Config): string
  /** where it leads, for people */
  leadsTo(config: Config): string
  url(config: Config, auth: ConnectionAuth, secret: string): string
}

/** Keeps the type of a kind's config between its own functions and forgets it towards the table. */
export function defineKind<Config extends JsonObject>(kind: Kind<Config>): Kind {
  return kind as Kind
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it refuses them
const PLAIN = /^[^\x00-\x1f\x7f]*$/

export const Text = z.string({ error: ({ input }) => (input === undefined ? 'is missing' : 'must be text') })
export const User = Text.min(1, 'is missing').max(200).regex(PLAIN, 'text without control characters')
export const BasicUser = User.exactOptional().meta({
  title: 'User',
  group: 'basic',
  description: 'For basic authentication',
})

export const HOST = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])$/i
export const host = (example: string) =>
  Text.max(253)
    .refine(isHost, 'a host name or an IP address')
    .meta({ title: 'Host', widget: 'text', example })
    .transform((text) => new URL(`http://${text}`).hostname)
const PORT = 'a port from 1 to 65535'
export const Port = z.int(PORT).min(1, PORT).max(65_535, PORT)

export function userProblem(user: string | undefined, auth: ConnectionAuth): Problem | undefined {
  if (auth === 'basic' && user === undefined) return { field: 'user', message: 'basic authentication takes a user' }
  if (auth !== 'basic' && user !== undefined)
    return { field: 'user', message: 'a user means basic authentication; leave it out' }
  return undefined
}

function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`)
}
