import { DomainError } from '#core/errors.ts'
import { isObject, type JsonObject } from '#core/json/json.ts'
import { parseDelivery } from '#core/json/storable-json.ts'
import type { InboxDraft, InboxRow } from '#store/alerts/inbox.ts'
import type { Delivery, Inbox, InboxContext } from './inbox-route.ts'

/** Makes the stored form of a delivery: with a key it is sealed, and its digest cannot be guessed at. */
export async function toInboxDraft(ctx: InboxContext, delivery: Delivery): Promise<InboxDraft> {
  const { box } = ctx.inbox
  const facts = delivery.facts ?? {}
  const { email: _email, ...actor } = ctx.actor
  return {
    id: delivery.id,
    workspace_id: ctx.workspace_id,
    route: delivery.route,
    source: delivery.source ?? null,
    headers: delivery.headers,
    body: box === undefined ? delivery.text : await box.seal(delivery.id, { body: delivery.text, facts }),
    facts: box === undefined ? facts : {},
    sealed: box !== undefined,
    body_digest: ctx.secrets?.commitmentsIn(ctx.workspace_id)(delivery.text) ?? `sha256:${ctx.sha256(delivery.text)}`,
    actor,
    channel: ctx.channel,
  }
}

/** Reads the delivery of a stored item. Throws `not_configured` when its key is missing. */
export async function fromInboxRow(inbox: Inbox, row: InboxRow, replay: boolean): Promise<Delivery> {
  const { text, facts } = await openRow(inbox, row)
  return {
    id: row.id,
    route: row.route,
    ...(row.source !== null && { source: row.source }),
    headers: row.headers,
    text,
    facts,
    body: parsed(text),
    again: !replay && row.attempts > 1,
    replay,
  }
}

/** Reads the body as it was received, and the facts of its route. Throws `not_configured` when the key is missing. */
export async function openRow(
  { box }: Pick<Inbox, 'box'>,
  row: Pick<InboxRow, 'id' | 'body' | 'facts' | 'sealed'>,
): Promise<{ text: string; facts: JsonObject }> {
  if (!row.sealed) return { text: row.body, facts: row.facts }
  if (box === undefined) {
    throw new DomainError('not_configured', 'the bodies in the inbox are sealed, and there is no master key')
  }
  const { body, facts } = await box.open(row.id, row.body)
  return { text: typeof body === 'string' ? body : '', facts: isObject(facts) ? facts : {} }
}

function parsed(text: string): unknown {
  try {
    return parseDelivery(text)
  } catch {
    return undefined
  }
}
