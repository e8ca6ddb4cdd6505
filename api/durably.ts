import { DomainError } from '#core/errors.ts'
import { keptHeaders } from '#core/inbox/kept-headers.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Delivery, Inbox, InboxRoute, Received } from '#services/inbox/inbox-route.ts'
import { receiveDelivery, refuseDelivery } from '#services/inbox/settle-delivery.ts'
import type { ApiContext } from './context.ts'

interface Arrival extends Partial<Pick<Delivery, 'body' | 'text' | 'again'>> {
  id?: string | undefined
  source?: string | undefined
  facts?: JsonObject
}

/**
 * Takes what arrived at a trigger: through the inbox where there is one, so that it is committed before it is processed and
 * accepted also while the engine is away; else at once, or not at all (`dependency_unavailable`).
 */
export async function durably<Answer extends object>(
  c: ApiContext,
  route: InboxRoute<Answer>,
  input: Arrival = {},
): Promise<Answer | (Answer & { delivery_id: string }) | Received> {
  const ctx = c.get('ctx')
  const { inbox, away } = c.get('deps').intake
  const delivery = deliveryOf(c, input)
  if (inbox !== undefined) return await receiveDelivery({ ...ctx, inbox }, route, delivery, { defer: away() })
  if (away()) {
    throw new DomainError('dependency_unavailable', 'The workflow engine cannot be reached: nothing was accepted.', {
      retry_after_s: 2,
    })
  }
  return (await route.process(ctx, delivery)).answer
}

/** Lists a delivery that is refused before it is accepted in the inbox, with the reason. */
export async function listedWhenRefused<T>(
  c: ApiContext,
  { id, source }: { id?: string; source?: string | undefined },
  read: () => T,
): Promise<T> {
  try {
    return read()
  } catch (error) {
    const ctx = c.get('ctx')
    const { inbox } = c.get('deps').intake
    if (error instanceof DomainError && inbox !== undefined)
      await refuseDelivery({ ...ctx, inbox }, deliveryOf(c, { id, source }), error)
    throw error
  }
}

/** Throws `not_configured` where deliveries are not kept. */
export function inboxOf(c: ApiContext): Inbox {
  const { inbox } = c.get('deps').intake
  if (inbox === undefined) {
    throw new DomainError('not_configured', 'There is no inbox: OBS_TRIGGER_DURABLE=1 turns it on.')
  }
  return inbox
}

function deliveryOf(c: ApiContext, input: Arrival): Delivery {
  const ctx = c.get('ctx')
  const { inbox } = c.get('deps').intake
  return {
    id: input.id ?? ctx.attempt?.id ?? ctx.ids.next('delivery'),
    route: c.req.path,
    ...(input.source !== undefined && { source: input.source }),
    ...(input.facts !== undefined && { facts: input.facts }),
    headers: inbox === undefined ? {} : keptHeaders((name) => c.req.header(name)),
    body: input.body ?? c.get('body_json'),
    text: input.text ?? c.get('body_text') ?? '',
    again: input.again ?? ctx.attempt?.again ?? false,
    replay: false,
  }
}
