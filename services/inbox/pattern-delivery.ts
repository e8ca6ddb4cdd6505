import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { PatternSignal } from '#core/trigger/start-schema.ts'
import type { ServiceContext } from '../context.ts'
import { receivePattern } from '../triggers/receive-pattern.ts'
import type { Delivery, InboxRoute } from './inbox-route.ts'
import { parseBody } from './parse-body.ts'

/** Patterns that were recognised elsewhere. */
export const patternDelivery: InboxRoute<Awaited<ReturnType<typeof receivePattern>>> = {
  path: '/triggers/pattern',
  async process(ctx, delivery) {
    const answer =
      (await foldedBefore(ctx, delivery)) ??
      (await receivePattern(keyed(ctx, delivery), parseBody(PatternSignal, delivery.body)))
    return { answer, end: deliveryEnd([answer]) }
  },
}

/** What is recorded of the signal carries the id of its delivery. */
function keyed(ctx: ServiceContext, { id }: Delivery): ServiceContext {
  return { ...ctx, ids: { next: (kind) => (kind === 'delivery' ? id : ctx.ids.next(kind)) } }
}

/** What an earlier attempt came to. */
async function foldedBefore(ctx: ServiceContext, { id, again }: Delivery) {
  const [before] = again ? await ctx.alertFold.folded(ctx.workspace_id, id) : []
  if (before === undefined) return undefined
  const { fingerprint, run_id, started } = before
  return { fingerprint, outcome: started ? ('started' as const) : ('attached' as const), run_id, attached_count: 0 }
}
