import { toDomainError } from '#api/to-domain-error.ts'
import { createSecretBox } from '#platform/secret-box.ts'
import { alertDelivery } from '#services/inbox/alert-delivery.ts'
import type { Inbox } from '#services/inbox/inbox-route.ts'
import { ingressDelivery } from '#services/inbox/ingress-delivery.ts'
import { manualDelivery } from '#services/inbox/manual-delivery.ts'
import { patternDelivery } from '#services/inbox/pattern-delivery.ts'
import { createInboxStore } from '#store/inbox.ts'
import type { TestDatabase } from './database.ts'

export const INBOX_KEY = 'a master key of the inbox, long enough'

/** An inbox over a real database; whoever holds an item has died after `claimed_ms`. */
export function createTestInbox({ db, tenants }: TestDatabase, options: { claimed_ms?: number } = {}): Inbox {
  return {
    items: createInboxStore(db, tenants, options),
    routes: [alertDelivery, patternDelivery, manualDelivery, ingressDelivery],
    box: createSecretBox(INBOX_KEY),
    toDomainError,
    wake: () => undefined,
    fault: () => undefined,
  }
}
