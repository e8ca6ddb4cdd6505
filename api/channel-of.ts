import type { Actor } from '#core/actor.ts'
import type { Channel } from '#core/gate/types.ts'
import { CONSOLE_CLIENT } from '#services/auth/authenticator.ts'

/** What the clients that a credential was issued to are on record as; every other is `api`. */
const CHANNELS: ReadonlyMap<string | undefined, Channel> = new Map([
  ['svc-cli', 'cli'],
  [CONSOLE_CLIENT, 'console'],
])

/** The surface comes from the credential and from nothing else of the request; nobody sits at the console of a machine. */
export function channelOf({ client_id, type }: Actor): Channel {
  const channel = CHANNELS.get(client_id) ?? 'api'
  return channel === 'console' && type !== 'user' ? 'api' : channel
}
