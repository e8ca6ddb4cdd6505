import type { SlackChannel } from '#core/notify/types.ts'
import type { SlackSenderDeps } from './send-slack.ts'
import { createSlackChat } from './slack-chat.ts'
import { verifySlackSignature } from './slack-signature.ts'

export interface ChatDoorOptions extends Pick<SlackSenderDeps, 'egress'> {
  channels: { get(name: string): { kind: string } | SlackChannel | undefined; secret(reference: string): string }
  now(): number
  timeout_ms?: number
}

const TIMEOUT_MS = 10_000

/** The chats of `channels.yaml` as doors through which people answer. A channel whose secret is missing lets nobody in. */
export function createChatDoor({ channels, egress, now, timeout_ms = TIMEOUT_MS }: ChatDoorOptions) {
  const { secret } = channels
  function find(name: string): SlackChannel | undefined {
    const channel = channels.get(name)
    return channel !== undefined && isSlack(channel) ? channel : undefined
  }
  return {
    verify(
      name: string,
      headers: { timestamp: string | undefined; signature: string | undefined },
      body: string,
    ): 'sound' | 'forged' | 'unknown' {
      const channel = find(name)
      if (channel === undefined) return 'unknown'
      const secrets = [channel.signing_secret].flat().map(secret)
      return verifySlackSignature(secrets, headers, body, now()) ? 'sound' : 'forged'
    },

    /** undefined when the channel is gone by now */
    open(name: string, dialog: string) {
      const channel = find(name)
      return channel === undefined ? undefined : createSlackChat({ egress, secret, timeout_ms }, channel, dialog)
    },
  }
}

function isSlack(channel: { kind: string } | SlackChannel): channel is SlackChannel {
  return channel.kind === 'slack'
}
