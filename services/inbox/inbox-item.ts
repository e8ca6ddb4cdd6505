import { type InboxStatus, shownBody } from '#core/inbox/item.ts'
import type { InboxRow } from '#store/alerts/inbox.ts'
import { openRow } from './delivery-body.ts'
import type { Inbox } from './inbox-route.ts'

/** A delivery as people see it. */
export interface InboxItem {
  id: string
  received_at: string
  route: string
  source: string | null
  status: InboxStatus
  attempts: number
  run_id?: string
  error?: { code: string; message: string }
  headers: Record<string, string>
  body_digest: string
  /** without members that are named like secrets */
  body?: unknown
}

export function toInboxItem(row: InboxRow): InboxItem {
  const { id, received_at, route, source, status, attempts, run_id, error, headers, body_digest } = row
  return {
    id,
    received_at,
    route,
    source,
    status,
    attempts,
    ...(run_id !== null && { run_id }),
    ...(error !== null && { error }),
    headers,
    body_digest,
  }
}

/** The same with its body. Throws `not_configured` when the key that sealed it is missing. */
export async function withBody(inbox: Pick<Inbox, 'box'>, row: InboxRow): Promise<InboxItem> {
  return { ...toInboxItem(row), body: shownBody((await openRow(inbox, row)).text) }
}
