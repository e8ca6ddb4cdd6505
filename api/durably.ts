import { DomainError } from '#core/errors.ts'
import { keptHeaders } from '#core/inbox/kept-headers.ts'
import type { JsonObject } from '#core/json.ts'
import type { Delivery, Inbox, InboxRoute, Received } from '#services/inbox/inbox-route.ts'
import { receiveDelivery } from '#services/inbox/receive-delivery.ts'
import type { ApiContext } from './context.ts'

/**
 * Takes what arrived at a trigger: through the inbox where there is one, so that it is committed before it is processed and
 * accepted also while the engine is away; else at once, or not at all (`dependency_unavailable`).
 */
export async function durably<Answer extends object>(
  c: ApiContext,
  route: InboxRoute<Answer>,
  input: { source?: string | undefined; facts?: JsonObject } & Partial<
    Pick<Delivery, 'id' | 'body' | 'text' | 'again'>
  > = {},
): Promise<Answer | (Answer & { delivery_id: string }) | Received> {
  const ctx = c.get('ctx')
  const { inbox, away } = c.get('deps').intake
  const delivery: Delivery = {
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
  if (inbox !== undefined) return await receiveDelivery({ ...ctx, inbox }, route, delivery, { defer: away() })
  if (away()) {
    throw new DomainError('dependency_unavailable', 'The workflow engine cannot be reached: nothing was accepted.', {
      retry_after_s: 2,
    })
  }
  return (await route.process(ctx, delivery)).answer
}

/** Throws `not_configured` where deliveries are not kept. */
export function inboxOf(c: ApiContext): Inbox {
  const { inbox } = c.get('deps').intake
  if (inbox === undefined) {
    throw new DomainError('not_configured', 'There is no inbox: OBS_TRIGGER_DURABLE=1 turns it on.')
  }
  return inbox
}
