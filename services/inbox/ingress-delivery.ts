import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { actOnDelivery, previewDelivery } from '../ingress/act-on-delivery.ts'
import type { ActedUpon } from '../ingress/act-on-signal.ts'
import type { InboxRoute } from './inbox-route.ts'

/** Signed webhooks of packs. */
export const ingressDelivery: InboxRoute<{ delivery_id: string } & ActedUpon> = {
  path: '/triggers/ingress',
  async process(ctx, delivery) {
    const acted = await actOnDelivery(ctx, delivery)
    return { answer: { delivery_id: delivery.id, ...acted }, end: deliveryEnd([acted]) }
  },
  preview: previewDelivery,
}
