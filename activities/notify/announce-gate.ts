import { ApplicationFailure } from '@temporalio/common'
import type { Announced, AnnounceInput } from '#core/action-contract.ts'
import type { NoticeDeps } from './deps.ts'
import { gateNotice } from './gate-notice.ts'

/**
 * Tells one recipient. Whatever passes by itself is thrown and tried again by the engine; what cannot be helped is recorded and
 * answered. A repeat of what has arrived sends nothing.
 */
export const createAnnounceGate = (deps: NoticeDeps) =>
  async function announceGate(input: AnnounceInput): Promise<Announced> {
    const { gate_id, workspace_id, kind, channel: name, recipient } = input
    const delivery = { gate_id, workspace_id, kind, channel: name, recipient }
    if (await deps.deliveries.delivered(delivery)) return { status: 'skipped' }
    const gate = await deps.gates.find(gate_id)
    if (gate === undefined) throw ApplicationFailure.nonRetryable('there is no such gate', 'not_found')
    // between the decision and the next attempt nobody is asked for what is settled
    if (kind !== 'resolved' && gate.status !== 'open') return { status: 'skipped' }
    const channel = deps.channels.get(name)
    if (channel === undefined) {
      await deps.deliveries.record(delivery, { ok: false, detail: 'there is no such channel' })
      return { status: 'failed' }
    }
    const notice = await gateNotice(deps, gate, kind, recipient)
    const previous = kind === 'opened' ? undefined : await deps.deliveries.reference(delivery)
    const outcome = await deps.send(channel, { channel: name, address: recipient }, notice, previous)
    await deps.deliveries.record(delivery, outcome)
    if (outcome.ok) return { status: 'delivered' }
    deps.log.warn({ gate_id, kind, channel: name, detail: outcome.detail }, 'a notice was not delivered')
    if (!outcome.retryable) return { status: 'failed' }
    throw ApplicationFailure.create({
      message: outcome.detail,
      type: 'not_delivered',
      ...(outcome.retry_after_ms === undefined ? {} : { nextRetryDelay: outcome.retry_after_ms }),
    })
  }
