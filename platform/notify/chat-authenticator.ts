import type { Channel, ChannelPorts, Chat, SignedHeaders } from './channel-kind.ts'

export interface ChatAuthenticatorOptions extends Pick<ChannelPorts, 'egress' | 'now'> {
  channels: { get(name: string): Channel | undefined; secret(reference: string): string }
  timeout_ms?: number
}

const TIMEOUT_MS = 10_000

/** Verifies the answers that people give in the chats of `channels.yaml`. A channel without its secret accepts no answer. */
export function createChatAuthenticator({ channels, egress, now, timeout_ms = TIMEOUT_MS }: ChatAuthenticatorOptions) {
  const ports = { egress, secret: channels.secret, now, timeout_ms }
  return {
    verify(name: string, headers: SignedHeaders, body: string): 'sound' | 'forged' | 'unknown' {
      const chat = channels.get(name)?.chat
      if (chat === undefined) return 'unknown'
      return chat.verify(ports, headers, body) ? 'sound' : 'forged'
    },

    /** undefined when the channel no longer exists */
    open: (name: string, dialog: string): Chat | undefined => channels.get(name)?.chat?.open(ports, dialog),
  }
}
