import { DomainError } from '#core/errors.ts'
import type { JsonObject } from '#core/json.ts'
import { secretReferencesOf } from '#core/notify/secret-references.ts'
import type { ChannelConfig, Delivery, GateNotice, Recipient } from '#core/notify/types.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { sendEmail } from './send-email.ts'
import { sendSlack } from './send-slack.ts'
import { sendWebhook } from './send-webhook.ts'

const TIMEOUT_MS = 10_000

export interface SenderDeps {
  egress: EgressClient
  /** the value behind `env:NAME` or `file:path`; throws `not_configured` */
  secret(reference: string): string
  /** milliseconds since 1970 */
  now(): number
  /** of one exchange with a channel; 10,000 */
  timeout_ms?: number
}

/** The one way out for notices. */
export interface Senders {
  /**
   * One attempt; it never repeats by itself. `previous` is the `reference` of an earlier delivery to the same recipient about the
   * same gate. A channel with a secret that cannot be resolved sends nothing.
   */
  send(channel: ChannelConfig, recipient: Recipient, notice: GateNotice, previous?: JsonObject): Promise<Delivery>
}

/** Creates the senders of every kind of channel. */
export function createSenders({ egress, secret, now, timeout_ms = TIMEOUT_MS }: SenderDeps): Senders {
  const deps = { egress, secret, now, timeout_ms }
  return {
    async send(channel, recipient, notice, previous) {
      try {
        for (const reference of secretReferencesOf(channel)) secret(reference)
        switch (channel.kind) {
          case 'webhook':
            return await sendWebhook(deps, channel, notice)
          case 'slack':
            return await sendSlack(deps, channel, recipient, notice, previous)
          case 'email':
            return await sendEmail(deps, channel, recipient, notice, previous)
        }
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
