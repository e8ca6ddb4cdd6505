import { openInbox } from '#api/open-inbox.ts'
import type { Inbox } from '#services/inbox/inbox-route.ts'
import type { TestDatabase } from './database.ts'

export const INBOX_KEY = 'a master key of the inbox, long enough'

/** An inbox over a real database; anyone who holds an item has died after `claimed_ms`. */
export function createTestInbox(
  { db, tenants }: TestDatabase,
  options: { claimed_ms?: number; max_waiting?: number } = {},
): Inbox {
  return openInbox({ secretKey: INBOX_KEY }, { db, tenants, log: { error: () => {} }, ...options })
}
