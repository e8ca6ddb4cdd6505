import type { Log } from '#core/log.ts'
import { createSecretBox } from '#platform/secret-box.ts'
import {
  alertDelivery,
  type FaultPoint,
  type Inbox,
  manualDelivery,
  patternDelivery,
} from '#services/inbox/inbox-route.ts'
import { ingressDelivery } from '#services/ingress/act-on-delivery.ts'
import { createInboxStore } from '#store/alerts/inbox.ts'
import type { Db } from '#store/db.ts'
import type { TenantDb } from '#store/tenant-db.ts'
import { toDomainError } from './to-domain-error.ts'

export interface InboxParts {
  db: Db
  tenants: TenantDb
  log: Pick<Log, 'error'>
  /** dies at a named point: for fault tests */
  fault?: ((point: FaultPoint, content?: string) => void) | undefined
  /** anyone who holds an item for longer has died */
  claimed_ms?: number
}

/** Opens the inbox. Bodies are sealed where there is a master key. */
export function openInbox(
  { secretKey }: { secretKey: string | undefined },
  { db, tenants, log, fault, ...options }: InboxParts,
): Inbox {
  return {
    items: createInboxStore(db, tenants, options),
    routes: [alertDelivery, patternDelivery, manualDelivery, ingressDelivery],
    ...(secretKey !== undefined && { box: createSecretBox(secretKey) }),
    log,
    toDomainError,
    wake: () => undefined,
    fault: fault ?? (() => undefined),
  }
}
