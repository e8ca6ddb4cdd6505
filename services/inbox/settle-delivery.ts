import { isOutage } from '#core/errors.ts'
import { noteSurely } from '../note-surely.ts'
import type { Delivery, InboxContext, InboxRoute, Processed } from './inbox-route.ts'

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
    noteSurely({ write, lost: `that the delivery ${delivery.id} ${end}`, log })
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
    // an earlier attempt whose process has ended still holds what it needs
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
