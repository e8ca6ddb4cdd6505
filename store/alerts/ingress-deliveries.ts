import type { JsonObject } from '#core/json/json.ts'
import type { Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'

/** A repeat after this time is a new delivery. */
const KEPT_DAYS = 3
/** A request that has not finished after this time is stuck, although its process lives: the next repeat may try again. */
const ABANDONED_S = 60

export interface DeliveryRef {
  workspace_id: string
  pack: string
  name: string
  /** identity of a delivery */
  delivery_key: string
}

/** `claim` is one beginning of a delivery: its loser changes nothing from then on. */
export type HeldDelivery = DeliveryRef & { claim: string }

export type DeliveryState<Answer> =
  | { kind: 'fresh'; claim: string }
  | { kind: 'busy' }
  | { kind: 'repeated'; answer: Answer }
  /** begun by a process that died: its effects have this id */
  | { kind: 'resumed'; delivery_id: string; claim: string }
  /** the inbox has it, and the sender was not answered yet */
  | { kind: 'kept'; delivery_id: string; claim: string }

/**
 * First answers to signed deliveries, so that a repeated one is not a second one. `holder` names the session lock by which the database
 * knows that this process lives.
 */
export function createIngressDeliveries<Answer extends JsonObject>(db: Db, holder?: () => Promise<string>) {
  return {
    /** Claims a delivery under a fresh id, or returns the outcome of its first arrival. */
    async begin(ref: DeliveryRef, deliveryId: string): Promise<DeliveryState<Answer>> {
      const [claimed] = await db<{ delivery_id: string; claim: string }[]>`
        insert into ingress_deliveries as d (workspace_id, pack, name, delivery_key, delivery_id, holder)
        values (${ref.workspace_id}, ${ref.pack}, ${ref.name}, ${ref.delivery_key}, ${deliveryId}, ${(await holder?.()) ?? null})
        on conflict (workspace_id, pack, name, delivery_key) do update
          set claimed_at = now(), holder = excluded.holder,
            received_at = case when ${isForgotten(db)} then now() else d.received_at end,
            delivery_id = case when ${isForgotten(db)} then excluded.delivery_id else d.delivery_id end,
            answer = null
          where ${isForgotten(db)}
            or (d.answer is null and not ${isRunning(db)} and not ${isKept(db)})
        returning delivery_id, claimed_at::text as claim`
      if (claimed?.delivery_id === deliveryId) return { kind: 'fresh', claim: claimed.claim }
      if (claimed !== undefined) return { kind: 'resumed', ...claimed }
      const [first] = await db<{ answer: Answer | null; delivery_id: string; claim: string; kept: boolean }[]>`
        select answer, delivery_id, claimed_at::text as claim, ${isKept(db)} as kept from ingress_deliveries d
        where workspace_id = ${ref.workspace_id} and pack = ${ref.pack} and name = ${ref.name}
          and delivery_key = ${ref.delivery_key}`
      if (first === undefined) return { kind: 'busy' }
      if (first.answer !== null) return { kind: 'repeated', answer: first.answer }
      const { delivery_id, claim, kept } = first
      return kept ? { kind: 'kept', delivery_id, claim } : { kind: 'busy' }
    },

    async finish(held: HeldDelivery, answer: Answer): Promise<void> {
      await db`
        update ingress_deliveries set answer = ${db.json(answer)}
        where ${isHeld(db, held)}`
    },

    /**
     * After a failure with an unknown result: a repeat tries again at once, under the same id, and finds earlier effects. False when the
     * inbox has the delivery, or another request.
     */
    async handBack(held: HeldDelivery): Promise<boolean> {
      const handed = await db`
        update ingress_deliveries d set holder = ''
        where ${isHeld(db, held)} and answer is null and not ${isKept(db)}
        returning 1`
      return handed.length > 0
    },

    /** Gives the delivery back after a refusal, unless the inbox still has to do it: its sender will try again. */
    async release(held: HeldDelivery): Promise<void> {
      await db`
        delete from ingress_deliveries d
        where ${isHeld(db, held)} and answer is null
          and not exists (select from inbox_items i where i.id = d.delivery_id and i.status = 'received')`
    },

    /** Deletes expired rows; called by a sweep. */
    purge: (): Promise<number> =>
      inBatches(
        (limit) => db`
          delete from ingress_deliveries where (workspace_id, pack, name, delivery_key) in (
            select workspace_id, pack, name, delivery_key from ingress_deliveries
            where received_at < now() - ${KEPT_DAYS} * interval '1 day' order by received_at limit ${limit})`,
      ),
  }
}

function isHeld(db: Db, { workspace_id, pack, name, delivery_key, claim }: HeldDelivery) {
  return db`
    workspace_id = ${workspace_id} and pack = ${pack} and name = ${name} and delivery_key = ${delivery_key}
      and claimed_at = ${claim}::timestamptz`
}

function isForgotten(db: Db) {
  return db`d.received_at < now() - ${KEPT_DAYS} * interval '1 day'`
}

/** Tells whether the request that began it may still finish it. */
function isRunning(db: Db) {
  return db`
    (d.claimed_at >= now() - ${ABANDONED_S} * interval '1 second' and d.holder is distinct from ''
      and (d.holder is null or is_session_locked(d.holder)))`
}

function isKept(db: Db) {
  return db`exists (select from inbox_items i where i.id = d.delivery_id)`
}

export type IngressDeliveries<Answer extends JsonObject> = ReturnType<typeof createIngressDeliveries<Answer>>
