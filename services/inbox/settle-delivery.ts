import { type DomainError, isOutage } from '#core/errors.ts'
import { storableText } from '#core/json/storable-json.ts'
import type { ClaimedRow } from '#store/alerts/inbox.ts'
import { systemAudit } from '../audit/system-audit.ts'
import type { IntakeContext } from '../service-deps.ts'
import { writeWithRetry } from '../write-with-retry.ts'
import { toInboxDraft } from './delivery-body.ts'
import type { Delivery, Inbox, InboxContext, InboxRoute, Processed, Received } from './inbox-route.ts'

/**
 * Processes a delivery that this process has claimed, and notes what became of it. Undefined when something it needs is away: it is in
 * the line again. Any other failure is noted and thrown.
 */
export async function settleDelivery<Answer>(
  ctx: InboxContext,
  route: InboxRoute<Answer>,
  delivery: Delivery & { claim: string },
): Promise<Processed<Answer> | undefined> {
  const { items, log } = ctx.inbox
  const note = (end: string, write: () => Promise<void>) =>
    writeWithRetry({ write, lost: `that the delivery ${delivery.id} ${end}`, log })
  const held = items.hold(delivery)
  try {
    ctx.inbox.fault('inbox_begun', delivery.text)
    const processed = await route.process(ctx, delivery)
    ctx.inbox.fault('inbox_processed')
    // it is done whether this is noted or not: a repeat finds that
    await note(`is ${processed.end.status}`, () => items.settle(delivery, processed.end))
    return processed
  } catch (thrown) {
    const { code, message } = ctx.inbox.toDomainError(thrown)
    // an earlier attempt whose process died still holds a lock
    const isHeld = delivery.again && code === 'conflict'
    if (isOutage(code) || isHeld) {
      await note('waits again', () => items.defer(delivery, { code, message }))
      return undefined
    }
    await note('has failed', () => items.settle(delivery, { status: 'failed', error: { code, message } }))
    throw thrown
  } finally {
    held.letGo()
  }
}

/** Sets a delivery aside that has ended every process which worked on it, so that what waits behind it is processed. */
export async function setAsideDelivery(
  ctx: Pick<IntakeContext, 'clock' | 'ids'>,
  { items }: Pick<Inbox, 'items'>,
  row: ClaimedRow,
): Promise<void> {
  const { id, workspace_id, route, body_digest, processes_ended } = row
  const message = `${processes_ended} processes ended while they worked on this delivery, so it is not tried again by itself. Fix the rule, the template or the sender, then replay it; the mode simulate shows what would happen.`
  await items.setAside(
    row,
    { code: 'process_ended', message },
    systemAudit(ctx, {
      category: 'trigger',
      action: 'inbox.set_aside',
      workspace_id,
      channel: 'system',
      subject: { type: 'delivery', id },
      data: { route, body_digest, processes_ended, reason: message },
    }),
  )
}

/** Adds an unreadable delivery to the inbox, with the reason. */
export async function refuseDelivery(
  ctx: InboxContext,
  delivery: Delivery,
  { code, message }: Pick<DomainError, 'code' | 'message'>,
): Promise<void> {
  await ctx.inbox.items.addRefused(await toInboxDraft(ctx, { ...delivery, text: storableText(delivery.text) }), {
    code,
    message,
  })
}

/**
 * Commits a delivery, then processes it at once. If that is not possible now (`defer`, earlier ones wait, many are processed, a dependency
 * is unavailable), a later drain of the inbox does it; the sender gets `received`. Throws `rate_limited` where too many wait.
 */
export async function receiveDelivery<Answer extends object>(
  ctx: InboxContext,
  route: InboxRoute<Answer>,
  delivery: Delivery,
  options: { defer: boolean },
): Promise<(Answer & { delivery_id: string }) | Received> {
  const { inbox } = ctx
  await inbox.mustHaveRoom(ctx.workspace_id)
  const free = options.defer ? undefined : inbox.takeSlot()
  try {
    const { claim } = await inbox.items.add(await toInboxDraft(ctx, delivery), free !== undefined)
    inbox.fault('inbox_committed')
    const processed = claim === null ? undefined : await settleDelivery(ctx, route, { ...delivery, claim })
    if (processed !== undefined) return { ...processed.answer, delivery_id: delivery.id }
  } finally {
    free?.()
  }
  inbox.wake()
  return { delivery_id: delivery.id, outcome: 'received', results: [] }
}
