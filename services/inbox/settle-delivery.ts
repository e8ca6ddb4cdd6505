import { isOutage } from '#core/errors.ts'
import type { Delivery, InboxContext, InboxRoute, Processed } from './inbox-route.ts'

const NOTE_EVERY_MS = 1_000
const NOTES = 60

/**
 * Processes a delivery that this process has claimed, and notes what became of it. Undefined when something it needs is away: it is in
 * the line again. Any other failure is noted and thrown.
 */
export async function settleDelivery<Answer>(
  ctx: InboxContext,
  route: InboxRoute<Answer>,
  delivery: Delivery & { claim: string },
): Promise<Processed<Answer> | undefined> {
  const { items } = ctx.inbox
  const held = items.hold(delivery)
  try {
    ctx.inbox.fault('inbox_begun', delivery.text)
    const processed = await route.process(ctx, delivery)
    ctx.inbox.fault('inbox_processed')
    // it is done whether this is noted or not: a repeat finds that
    await noteSurely(() => items.settle(delivery, processed.end))
    return processed
  } catch (thrown) {
    const { code, message } = ctx.inbox.toDomainError(thrown)
    // an earlier attempt whose process has ended still holds what it needs
    const isHeld = delivery.again && code === 'conflict'
    if (isOutage(code) || isHeld) {
      await noteSurely(() => items.defer(delivery, { code, message }))
      return undefined
    }
    await noteSurely(() => items.settle(delivery, { status: 'failed', error: { code, message } }))
    throw thrown
  } finally {
    held.letGo()
  }
}

/**
 * Notes it now, or as soon as the database answers again: a claim that is neither ended nor released counts as a process that ended, and
 * this one lives.
 */
export async function noteSurely(note: () => Promise<void>): Promise<void> {
  await note().catch(() => noteLater(note, NOTES))
}

function noteLater(note: () => Promise<void>, left: number): void {
  if (left === 0) return
  setTimeout(() => void note().catch(() => noteLater(note, left - 1)), NOTE_EVERY_MS).unref()
}
