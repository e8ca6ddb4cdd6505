import { DomainError } from '#core/errors.ts'
import type { DeliveryScope } from '#core/ingress/delivery-scope.ts'
import { type Ingress, ingressId } from '#core/ingress/ingress.ts'
import { normalizeDelivery } from '#core/ingress/normalize-delivery.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import type { IngressDeliveries } from '#store/ingress-deliveries.ts'
import type { ServiceContext } from '../context.ts'
import { type ActedUpon, actOnSignal } from './act-on-signal.ts'

/** What became of a delivery; a repeated one is answered with the same. */
export type IngressAnswer = { delivery_id: string } & ActedUpon

export interface IngressContext extends ServiceContext {
  deliveries: IngressDeliveries<IngressAnswer>
}

/** A delivery whose signature is sound. */
export interface SoundDelivery {
  ingress: Ingress
  scope: DeliveryScope
  /** what makes two deliveries the same */
  key: string
  provider_delivery_id?: string
  /** the sender asks for a confirmation, which is for a person to give */
  confirm_url?: string
}

/**
 * Takes a signed delivery once: makes an alert of it, matches the rules of its ingress and starts a run or attaches to one. A
 * repeat gets the first answer; `conflict` while the first is still at work.
 */
export async function receiveIngress(ctx: IngressContext, delivery: SoundDelivery): Promise<IngressAnswer> {
  const { pack, name } = delivery.ingress
  const ref = { workspace_id: ctx.workspace_id, pack, name, delivery_key: delivery.key }
  const fresh = ctx.ids.next('delivery')
  const state = await ctx.deliveries.begin(ref, fresh)
  if (state.kind === 'repeated') return state.answer
  if (state.kind === 'busy')
    throw new DomainError('conflict', 'This delivery is being handled; ask again.', { retry_after_s: 1 })
  const delivery_id = state.kind === 'resumed' ? state.delivery_id : fresh
  try {
    const before = state.kind === 'resumed' ? await ctx.alertFold.folded(ctx.workspace_id, delivery_id) : []
    const answer = { delivery_id, ...(resumed(before) ?? (await handle(ctx, delivery, delivery_id))) }
    await ctx.deliveries.finish(ref, answer)
    return answer
  } catch (error) {
    await ctx.deliveries.release(ref)
    throw error
  }
}

/** What a process that died has done already. */
function resumed(before: { run_id: string; started: boolean }[]): ActedUpon | undefined {
  const [first] = before
  return first && { outcome: first.started ? 'started' : 'attached', run_id: first.run_id }
}

async function handle(ctx: IngressContext, delivery: SoundDelivery, deliveryId: string): Promise<ActedUpon> {
  const { ingress, scope, provider_delivery_id, confirm_url } = delivery
  if (confirm_url !== undefined)
    return { outcome: 'suppressed', detail: 'The subscription waits for a person: nothing here confirms it.' }
  const found = alertOrReason(ingress, scope, ctx.sha256)
  if (found === undefined) return { outcome: 'suppressed' }
  if (typeof found === 'string') return { outcome: 'unmatched', detail: found }
  const id = ingressId(ingress)
  const trigger = {
    type: 'ingress',
    id,
    delivery_id: deliveryId,
    source: found.source,
    ...(provider_delivery_id !== undefined && { provider_delivery_id }),
  }
  return await actOnSignal(ctx, ingress, found, trigger)
}

/** The alert, the reason why the payload makes none, or nothing when it is not meant to. */
function alertOrReason(
  ingress: Ingress,
  scope: DeliveryScope,
  sha256: ServiceContext['sha256'],
): NormalizedAlert | string | undefined {
  try {
    return normalizeDelivery(ingress, scope, sha256)
  } catch (error) {
    if (error instanceof DomainError) return error.message
    throw error
  }
}
