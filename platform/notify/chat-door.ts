import type { Channel, ChannelPorts, Chat, SignedHeaders } from './channel-kind.ts'

export interface ChatDoorOptions extends Pick<ChannelPorts, 'egress' | 'now'> {
  channels: { get(name: string): Channel | undefined; secret(reference: string): string }
  timeout_ms?: number
}

const TIMEOUT_MS = 10_000

/** The chats of `channels.yaml` as doors through which people answer. A channel whose secret is missing lets nobody in. */
export function createChatDoor({ channels, egress, now, timeout_ms = TIMEOUT_MS }: ChatDoorOptions) {
  const ports = { egress, secret: channels.secret, now, timeout_ms }
  return {
    verify(name: string, headers: SignedHeaders, body: string): 'sound' | 'forged' | 'unknown' {
      const chat = channels.get(name)?.chat
      if (chat === undefined) return 'unknown'
      return chat.verify(ports, headers, body) ? 'sound' : 'forged'
    },

    /** undefined when the channel is gone by now */
    open: (name: string, dialog: string): Chat | undefined => channels.get(name)?.chat?.open(ports, dialog),
  }
}
