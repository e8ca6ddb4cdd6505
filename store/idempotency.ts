import type { Db } from './db.ts'

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

export type KeyState = { kind: 'fresh' } | { kind: 'busy' } | { kind: 'mismatch' } | ({ kind: 'replay' } & StoredAnswer)

/** First answers by `Idempotency-Key`, so that a repeated request is not a second one. */
export function createIdempotencyStore(db: Db) {
  return {
    /** Claims the key, or says what its first use came to. */
    async begin(request: KeyedRequest): Promise<KeyState> {
      const claimed = await db`
        insert into idempotency_keys as k (workspace_id, key, route, body_hash)
        values (${request.workspace_id}, ${request.key}, ${request.route}, ${request.body_hash})
        on conflict (workspace_id, key) do update
          set route = excluded.route, body_hash = excluded.body_hash, status = null, response = null, created_at = now()
          where k.created_at < now() - ${KEPT_HOURS} * interval '1 hour'
            or (k.status is null and k.created_at < now() - ${ABANDONED_S} * interval '1 second')
        returning 1`
      if (claimed.length > 0) return { kind: 'fresh' }
      const [first] = await db<(KeyedRequest & { status: number | null; response: StoredAnswer['response'] | null })[]>`
        select workspace_id, key, route, body_hash, status, response from idempotency_keys
        where workspace_id = ${request.workspace_id} and key = ${request.key}`
      if (!first) return { kind: 'busy' }
      if (first.route !== request.route || first.body_hash !== request.body_hash) return { kind: 'mismatch' }
      if (first.status === null || first.response === null) return { kind: 'busy' }
      return { kind: 'replay', status: first.status, response: first.response }
    },

    async finish(request: KeyedRequest, answer: StoredAnswer): Promise<void> {
      await db`
        update idempotency_keys set status = ${answer.status}, response = ${db.json(answer.response)}
        where workspace_id = ${request.workspace_id} and key = ${request.key}`
    },

    /** Forgets keys that no longer protect anything; called by a sweep. */
    async purge(): Promise<void> {
      await db`delete from idempotency_keys where created_at < now() - ${KEPT_HOURS} * interval '1 hour'`
    },

    /** Gives the key back after a refusal: nothing happened, so a repeat may try again. */
    async release(request: KeyedRequest): Promise<void> {
      await db`
        delete from idempotency_keys
        where workspace_id = ${request.workspace_id} and key = ${request.key} and status is null`
    },
  }
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
