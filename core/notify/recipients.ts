import type { ChannelConfig, Recipient } from './types.ts'

/** Everybody whom a channel reaches; each one gets a link of their own. */
export function recipientsOf(channel: ChannelConfig): Recipient[] {
  switch (channel.kind) {
    case 'webhook':
      return [{ channel: channel.name, address: new URL(channel.url).host }]
    case 'slack':
      return [{ channel: channel.name, address: channel.channel }]
    case 'email':
      return channel.to.map((address) => ({ channel: channel.name, address }))
  }
}
