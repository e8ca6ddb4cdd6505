import type { DomainError } from '#core/errors.ts'
import { storableText } from '#core/storable-json.ts'
import { toInboxDraft } from './delivery-body.ts'
import type { Delivery, InboxContext } from './inbox-route.ts'

/** Puts a delivery that could not even be read into the inbox, with the reason. */
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
