import type { Db } from './db.ts'
import { inBatches } from './in-batches.ts'

/** A repeat after this time is a new request. */
const KEPT_HOURS = 24
/** Whoever began and never finished has died: the next repeat may try again. */
const ABANDONED_S = 120

export interface KeyedRequest {
  workspace_id: string
  key: string
  route: string
  body_hash: string
}

export interface StoredAnswer {
  status: number
  response: { body: string; headers: Record<string, string> }
}

export type KeyState =
  /** `again`: begun by a process that died, and what it did carries this id */
  | { kind: 'fresh'; delivery_id: string; again: boolean }
  | { kind: 'busy' }
  | { kind: 'mismatch' }
  /** the inbox has it, and nobody was told yet */
  | { kind: 'kept'; delivery_id: string }
  | ({ kind: 'replay' } & StoredAnswer)

/** First answers by `Idempotency-Key`, so that a repeated request is not a second one. */
export function createIdempotencyStore(db: Db) {
  return {
    /** Claims the key, or says what its first use came to. `deliveryId` is what the request goes by when it is the first. */
    async begin(request: KeyedRequest, deliveryId: string): Promise<KeyState> {
      const [claimed] = await db<{ delivery_id: string }[]>`
        insert into idempotency_keys as k (workspace_id, key, route, body_hash, delivery_id)
        values (${request.workspace_id}, ${request.key}, ${request.route}, ${request.body_hash}, ${deliveryId})
        on conflict (workspace_id, key) do update
          set route = excluded.route, body_hash = excluded.body_hash, status = null, response = null, created_at = now(),
            delivery_id = case when ${isForgotten(db)} or (k.route, k.body_hash) <> (excluded.route, excluded.body_hash)
              then excluded.delivery_id else coalesce(k.delivery_id, excluded.delivery_id) end
          where ${isForgotten(db)} or (k.status is null and k.created_at < now() - ${ABANDONED_S} * interval '1 second'
            and not ${isKept(db)})
        returning delivery_id`
      if (claimed) return { kind: 'fresh', ...claimed, again: claimed.delivery_id !== deliveryId }
      const [first] = await db<(KeyedRequest & Kept)[]>`
        select workspace_id, key, route, body_hash, status, response, delivery_id, ${isKept(db)} as kept from idempotency_keys k
        where workspace_id = ${request.workspace_id} and key = ${request.key}`
      if (!first) return { kind: 'busy' }
      if (first.route !== request.route || first.body_hash !== request.body_hash) return { kind: 'mismatch' }
      if (first.status === null || first.response === null) {
        return first.kept && first.delivery_id !== null
          ? { kind: 'kept', delivery_id: first.delivery_id }
          : { kind: 'busy' }
      }
      return { kind: 'replay', status: first.status, response: first.response }
    },

    async finish(request: KeyedRequest, answer: StoredAnswer): Promise<void> {
      await db`
        update idempotency_keys set status = ${answer.status}, response = ${db.json(answer.response)}
        where workspace_id = ${request.workspace_id} and key = ${request.key}`
    },

    /** Forgets keys that no longer protect anything; called by a sweep. */
    purge: (): Promise<number> =>
      inBatches(
        (limit) => db`
          delete from idempotency_keys where (workspace_id, key) in (
            select workspace_id, key from idempotency_keys where created_at < now() - ${KEPT_HOURS} * interval '1 hour'
            order by created_at limit ${limit})`,
      ),

    /** Gives the key back after a refusal, unless the inbox still has to do it: a repeat may try again. */
    async release(request: KeyedRequest): Promise<void> {
      await db`
        delete from idempotency_keys k
        where workspace_id = ${request.workspace_id} and key = ${request.key} and status is null
          and not exists (select from inbox_items i where i.id = k.delivery_id and i.status = 'received')`
    },
  }
}

interface Kept {
  status: number | null
  response: StoredAnswer['response'] | null
  delivery_id: string | null
  kept: boolean
}

function isForgotten(db: Db) {
  return db`k.created_at < now() - ${KEPT_HOURS} * interval '1 hour'`
}

function isKept(db: Db) {
  return db`exists (select from inbox_items i where i.id = k.delivery_id)`
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
