import type { ChannelConfig } from './types.ts'

/** Every secret that a channel needs; it is closed while one of them is missing. */
export function secretReferencesOf(channel: ChannelConfig): string[] {
  switch (channel.kind) {
    case 'webhook':
      return [channel.secret].flat()
    case 'slack':
      return [channel.token, channel.signing_secret].flat()
    case 'email':
      return [channel.username, channel.password].filter((reference) => reference !== undefined)
  }
}
