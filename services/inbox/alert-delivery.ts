import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { previewAlerts } from '../alerts/preview-alerts.ts'
import { receiveAlerts } from '../alerts/receive-alerts.ts'
import type { Delivery, InboxRoute } from './inbox-route.ts'

/** Alerts as alerting tools send them. */
export const alertDelivery: InboxRoute<Awaited<ReturnType<typeof receiveAlerts>>> = {
  path: '/triggers/alert',
  async process(ctx, delivery) {
    const { id, again } = delivery
    const answer = await receiveAlerts(ctx, { ...payloadOf(delivery), delivery: { id, again } })
    return { answer, end: deliveryEnd(answer.results) }
  },
  preview: (ctx, delivery) => previewAlerts(ctx, payloadOf(delivery)),
}

function payloadOf({ body, source }: Delivery): { body: unknown; source?: string } {
  return { body, ...(source !== undefined && { source }) }
}
