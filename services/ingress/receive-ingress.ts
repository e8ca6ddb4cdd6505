import { DomainError } from '#core/errors.ts'
import type { Ingress } from '#core/ingress/ingress.ts'
import type { IngressDeliveries } from '#store/ingress-deliveries.ts'
import type { ServiceContext } from '../context.ts'
import type { Received } from '../inbox/inbox-route.ts'
import type { ActedUpon } from './act-on-signal.ts'

/** What became of a delivery; a repeated one is answered with the same. */
export type IngressAnswer = ({ delivery_id: string } & ActedUpon) | Received

export interface IngressContext extends ServiceContext {
  deliveries: IngressDeliveries<IngressAnswer>
}

/**
 * Takes a signed delivery once, by what makes two of them the same (`key`). A repeat gets the first answer; `conflict` while the
 * first is still at work. `take` is told the id of the delivery, and whether an earlier attempt may have done some of it.
 */
export async function receiveIngress(
  ctx: IngressContext,
  { ingress: { pack, name }, key }: { ingress: Pick<Ingress, 'pack' | 'name'>; key: string },
  take: (delivery: { id: string; again: boolean }) => Promise<IngressAnswer>,
): Promise<IngressAnswer> {
  const ref = { workspace_id: ctx.workspace_id, pack, name, delivery_key: key }
  const fresh = ctx.ids.next('delivery')
  const state = await ctx.deliveries.begin(ref, fresh)
  if (state.kind === 'repeated') return state.answer
  if (state.kind === 'busy')
    throw new DomainError('conflict', 'This delivery is being handled; ask again.', { retry_after_s: 1 })
  if (state.kind === 'kept') {
    const answer: Received = { delivery_id: state.delivery_id, outcome: 'received', results: [] }
    await ctx.deliveries.finish(ref, answer)
    return answer
  }
  const again = state.kind === 'resumed'
  try {
    const answer = await take({ id: again ? state.delivery_id : fresh, again })
    await ctx.deliveries.finish(ref, answer)
    return answer
  } catch (error) {
    await ctx.deliveries.release(ref)
    throw error
  }
}
