import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { PatternSignal } from '#core/trigger/start-schema.ts'
import type { IntakeContext } from '../service-deps.ts'
import { receivePattern } from '../triggers/receive-pattern.ts'
import type { Delivery, InboxRoute } from './inbox-route.ts'
import { parseBody } from './parse-body.ts'

/** Patterns that were recognised elsewhere. */
export const patternDelivery: InboxRoute<Awaited<ReturnType<typeof receivePattern>>> = {
  path: '/triggers/pattern',
  async process(ctx, delivery) {
    const answer =
      (await foldedBefore(ctx, delivery)) ??
      (await receivePattern(ctx, parseBody(PatternSignal, delivery.body), delivery.id))
    return { answer, end: deliveryEnd([answer]) }
  },
}

/** What an earlier attempt came to. */
async function foldedBefore(ctx: IntakeContext, { id, again }: Delivery) {
  const [before] = again ? await ctx.alertFold.folded(ctx.workspace_id, id) : []
  if (before === undefined) return undefined
  const { fingerprint, run_id, started } = before
  return { fingerprint, outcome: started ? ('started' as const) : ('attached' as const), run_id, attached_count: 0 }
}
