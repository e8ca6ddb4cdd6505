import { DomainError } from '#core/errors.ts'
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
import { createInboxStore, type InboxStore } from '#store/alerts/inbox.ts'
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
  /** deliveries of one workspace that may wait */
  max_waiting?: number
}

const MAX_WAITING = 100_000
/** Further deliveries wait in the inbox, so that a storm is answered while it comes. */
const AT_ONCE = 50
const COUNTED_MS = 1_000
const RETRY_AFTER_S = 30

/** Opens the inbox. Bodies are sealed where there is a master key. */
export function openInbox(
  { secretKey }: { secretKey: string | undefined },
  { db, tenants, log, fault, max_waiting = MAX_WAITING, ...options }: InboxParts,
): Inbox {
  const items = createInboxStore(db, tenants, options)
  let underway = 0
  return {
    items,
    mustHaveRoom: createMustHaveRoom(items, max_waiting),
    takeSlot() {
      if (underway >= AT_ONCE) return undefined
      underway += 1
      return () => {
        underway -= 1
      }
    },
    routes: [alertDelivery, patternDelivery, manualDelivery, ingressDelivery],
    ...(secretKey !== undefined && { box: createSecretBox(secretKey) }),
    log,
    toDomainError,
    wake: () => undefined,
    fault: fault ?? (() => undefined),
  }
}

/** Counts what waits in a workspace at most once a second, however many deliveries come. */
function createMustHaveRoom(items: Pick<InboxStore, 'count'>, most: number): Inbox['mustHaveRoom'] {
  const counted = new Map<string, { until: number; waiting: Promise<number> }>()
  return async (workspace_id) => {
    const now = performance.now()
    let last = counted.get(workspace_id)
    if (last === undefined || last.until <= now) {
      last = { until: now + COUNTED_MS, waiting: items.count({ workspace_id, statuses: ['received'] }, most) }
      counted.set(workspace_id, last)
    }
    if ((await last.waiting) < most) return
    throw new DomainError('rate_limited', `${most} deliveries of this workspace wait in the inbox already.`, {
      retry_after_s: RETRY_AFTER_S,
      limit: most,
    })
  }
}
