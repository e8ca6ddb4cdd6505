import { DomainError } from '#core/errors.ts'
import type { SendResult } from '#core/notify/types.ts'
import type { Channel, ChannelPorts, Message } from './channel-kind.ts'

const TIMEOUT_MS = 10_000

export interface SenderDeps extends Omit<ChannelPorts, 'timeout_ms'> {
  /** of one exchange with a channel; 10,000 */
  timeout_ms?: number
}

/** The only way to send notices. */
export interface Senders {
  /** Makes one attempt; it never retries by itself. A channel with a secret that cannot be resolved sends nothing. */
  send(channel: Channel, message: Message): Promise<SendResult>
}

/** Makes the senders for channels of every kind. */
export function createSenders({ timeout_ms = TIMEOUT_MS, ...deps }: SenderDeps): Senders {
  const ports = { ...deps, timeout_ms }
  return {
    async send(channel, message) {
      try {
        for (const reference of channel.secrets) ports.secret(reference)
        return await channel.send(ports, message)
      } catch (error) {
        // a secret may be set while the durable handler keeps trying
        if (error instanceof DomainError && error.code === 'not_configured') {
          return { ok: false, retryable: true, detail: error.message }
        }
        throw error
      }
    },
  }
}
