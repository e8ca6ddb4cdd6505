import { DomainError } from '#core/errors.ts'
import { deliveryEnd } from '#core/inbox/delivery-end.ts'
import { findIngress, type Ingress, ingressId } from '#core/ingress/ingress.ts'
import { normalizeDelivery } from '#core/ingress/normalize-delivery.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import type { NormalizedAlert } from '#core/trigger/alert.ts'
import type { Delivery, InboxRoute } from '../inbox/inbox-route.ts'
import type { IntakeContext } from '../service-deps.ts'
import { type ActedUpon, actOnSignal, previewSignal } from './act-on-signal.ts'

/** Facts about a signed delivery besides its payload. */
export type IngressFacts = {
  /** headers that expressions see */
  headers?: { [name: string]: string }
  /** the sender's own name for the delivery */
  provider_delivery_id?: string
  /** the sender requests a confirmation, which a person has to give */
  confirm_url?: string
}

/** A signed delivery to be processed, at once or later: its signature was verified at arrival. */
export type IngressDelivery = Pick<Delivery, 'id' | 'route' | 'headers' | 'body' | 'facts' | 'again'>

/**
 * Makes an alert of a delivery, matches the rules of its ingress and starts a run or attaches to one. Throws `not_found` when the ingress
 * was removed.
 */
async function actOnDelivery(ctx: IntakeContext, delivery: IngressDelivery): Promise<ActedUpon> {
  const before = delivery.again ? await ctx.alertFold.folded(ctx.workspace_id, delivery.id) : []
  const [first] = before
  if (first !== undefined) return { outcome: first.started ? 'started' : 'attached', run_id: first.run_id }
  const ingress = ingressOf(ctx, delivery)
  const found = alertOrEnd(ctx, ingress, delivery)
  if ('outcome' in found) return found
  const { provider_delivery_id } = factsOf(delivery)
  return await actOnSignal(ctx, ingress, found, {
    type: 'ingress',
    id: ingressId(ingress),
    delivery_id: delivery.id,
    source: found.source,
    ...(provider_delivery_id !== undefined && { provider_delivery_id }),
  })
}

/** Returns what would happen to a delivery now; changes nothing. Throws `not_found` when the ingress was removed. */
async function previewDelivery(ctx: IntakeContext, delivery: IngressDelivery): Promise<JsonObject[]> {
  const ingress = ingressOf(ctx, delivery)
  const found = alertOrEnd(ctx, ingress, delivery)
  return ['outcome' in found ? found : await previewSignal(ctx, ingress, found)]
}

function ingressOf({ packs }: IntakeContext, { route }: IngressDelivery): Ingress {
  const [pack = '', name = '', ...more] = route.split('/').slice('/triggers/ingress/'.split('/').length - 1)
  const found = more.length === 0 ? findIngress(packs.list(), pack, name) : undefined
  if (found === undefined) throw new DomainError('not_found', `there is no ingress ${pack}/${name}`)
  return found
}

/** Returns the alert, or the end of a delivery that makes none. */
function alertOrEnd(ctx: IntakeContext, ingress: Ingress, delivery: IngressDelivery): NormalizedAlert | ActedUpon {
  const { confirm_url, headers = delivery.headers } = factsOf(delivery)
  if (confirm_url !== undefined)
    return {
      outcome: 'suppressed',
      detail: 'The subscription waits for a person: nothing here confirms it.',
      stopped_at: 'when',
    }
  try {
    const scope = { body: (delivery.body ?? null) as Json, headers }
    const why = `its \`when\` is not true: ${ingress.when}`
    return normalizeDelivery(ingress, scope, ctx.sha256) ?? { outcome: 'suppressed', stopped_at: 'when', why }
  } catch (error) {
    if (error instanceof DomainError) return { outcome: 'unmatched', detail: error.message, stopped_at: 'normalize' }
    throw error
  }
}

/** Only the route writes them; a delivery that was put in by hand has none. */
function factsOf({ facts = {} }: IngressDelivery): IngressFacts {
  return facts as IngressFacts
}

/** Signed webhooks of packs. */
export const ingressDelivery: InboxRoute<{ delivery_id: string } & ActedUpon> = {
  path: '/triggers/ingress',
  async process(ctx, delivery) {
    const acted = await actOnDelivery(ctx, delivery)
    return { answer: { delivery_id: delivery.id, ...acted }, end: deliveryEnd([acted]) }
  },
  preview: previewDelivery,
}
