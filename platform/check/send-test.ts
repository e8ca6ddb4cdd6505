import type { GateNotice } from '#core/notify/types.ts'
import { isoTime } from '#core/time/time.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Channel } from '#platform/notify/channel-kind.ts'
import { createSenders } from '#platform/notify/senders.ts'
import { resolveSecret, type SecretEnvironment } from '#platform/secrets.ts'
import type { Probe } from './reach.ts'

/** Sends a test message to every recipient of a channel. */
export async function sendTest(
  channels: readonly Channel[],
  deps: { egress: EgressClient; env: SecretEnvironment; now: () => number; url: string; id: () => string },
): Promise<Probe[]> {
  const senders = createSenders({
    egress: deps.egress,
    secret: (reference) => resolveSecret(reference, deps.env),
    now: deps.now,
  })
  const sent = channels.flatMap((channel) =>
    channel.addresses.map(async (address): Promise<Probe> => {
      const outcome = await senders.send(channel, { address, notice: testNotice(deps) })
      const detail = outcome.ok ? `${address} took a test message` : `${address}: ${outcome.detail}`
      return { kind: 'channel', name: channel.name, ok: outcome.ok, detail }
    }),
  )
  return await Promise.all(sent)
}

function testNotice({ now, url, id }: { now: () => number; url: string; id: () => string }): GateNotice {
  return {
    id: id(),
    kind: 'svc.test',
    time: isoTime(now()),
    workspace_id: 'none',
    run_id: 'none',
    gate_id: null,
    step: null,
    template: 'svc check',
    environment: 'none',
    risk: 'low',
    summary: 'This is a test message. There is nothing to decide.',
    plan_hash: null,
    because: [],
    requested_by: null,
    expires_at: null,
    links: { run: url },
  }
}
