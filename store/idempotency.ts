import type { Attempt, Done } from '#core/attempt.ts'
import type { Db } from './db.ts'
import { inBatches } from './sql/in-batches.ts'

/** A repeat after this time is a new request. */
const KEPT_HOURS = 24
/** A request that has no answer after this time is stuck, although its process lives. It can commit nothing once its key is taken. */
const STUCK_S = 600
/** Until a key that could not be given back is tried again. */
const RETRY_MS = 250

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
  | { kind: 'fresh'; attempt: Attempt }
  | { kind: 'busy' }
  | { kind: 'mismatch' }
  /** the inbox has it, and the sender was not answered yet */
  | { kind: 'kept'; delivery_id: string }
  | ({ kind: 'replay' } & StoredAnswer)

type Held = Pick<KeyedRequest, 'workspace_id' | 'key'>

/**
 * First answers by `Idempotency-Key`, so that a repeated request is not a second one. `holder` names the session lock by which the
 * database knows that this process lives.
 */
export function createIdempotencyStore(db: Db, holder: () => Promise<string>) {
  /** keys of ended requests, by their turn, that the database does not know yet */
  const ended = new Map<string, Held>()
  let retry: NodeJS.Timeout | undefined

  async function giveBack(turn: string, { workspace_id, key }: Held): Promise<void> {
    await db`
      update idempotency_keys set holder = ''
      where workspace_id = ${workspace_id} and key = ${key} and turn = ${turn} and status is null`
    ended.delete(turn)
  }

  async function giveAllBack(): Promise<void> {
    for (const [turn, held] of ended) await giveBack(turn, held)
  }

  function later(): void {
    if (retry !== undefined || ended.size === 0) return
    retry = setTimeout(() => {
      retry = undefined
      giveAllBack().catch(unlessClosed)
    }, RETRY_MS)
    retry.unref()
  }

  function unlessClosed(error: unknown): void {
    if (!(error instanceof Error && 'code' in error && error.code === 'CONNECTION_ENDED')) later()
  }

  /** A repeat may try again at once, under the same attempt. Never fails: what cannot be written now is written later. */
  async function handBack(request: Held, turn: string): Promise<void> {
    ended.set(turn, request)
    await giveBack(turn, request).catch(unlessClosed)
  }

  async function claim(request: KeyedRequest, turn: string): Promise<Attempt | undefined> {
    const isOther = db`(k.route, k.body_hash) <> (excluded.route, excluded.body_hash)`
    const isNew = db`(${isForgotten(db)} or ${isOther})`
    const [claimed] = await db<{ delivery_id: string; done: Done | null }[]>`
      insert into idempotency_keys as k (workspace_id, key, route, body_hash, delivery_id, turn, holder)
      values (${request.workspace_id}, ${request.key}, ${request.route}, ${request.body_hash}, ${turn}, ${turn}, ${await holder()})
      on conflict (workspace_id, key) do update
        set route = excluded.route, body_hash = excluded.body_hash, status = null, response = null, created_at = now(),
          turn = excluded.turn, holder = excluded.holder, done = case when ${isNew} then null else k.done end,
          delivery_id = case when ${isNew} then excluded.delivery_id else k.delivery_id end
        where ${isForgotten(db)}
          or (k.status is null and (k.done is null or not ${isOther}) and not ${isKept(db)} and not ${isRunning(db)})
      returning delivery_id, done`
    if (claimed === undefined) return undefined
    const { delivery_id: id, done } = claimed
    return { id, turn, again: id !== turn, ...(done !== null && { done }) }
  }

  return {
    /** Claims the key, or returns the outcome of its first use. `turn` is a new id for the request if it is the first. */
    async begin(request: KeyedRequest, turn: string): Promise<KeyState> {
      await giveAllBack()
      const attempt = await claim(request, turn).catch(async (error: unknown) => {
        // it may have been claimed all the same
        await handBack(request, turn)
        throw error
      })
      if (attempt !== undefined) return { kind: 'fresh', attempt }
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

    /** False when another request has taken the key. */
    async finish({ workspace_id, key }: Held, turn: string, answer: StoredAnswer): Promise<boolean> {
      const rows = await db`
        update idempotency_keys set status = ${answer.status}, response = ${db.json(answer.response)}
        where workspace_id = ${workspace_id} and key = ${key} and turn = ${turn} returning key`
      return rows.length > 0
    },

    handBack,

    /** Frees the key after a refusal, for any request; where something was done, or the inbox has it, for a repeat alone. */
    async release(request: Held, turn: string): Promise<void> {
      const { workspace_id, key } = request
      const freed = await db`
        delete from idempotency_keys k
        where workspace_id = ${workspace_id} and key = ${key} and turn = ${turn} and status is null and done is null
          and not exists (select from inbox_items i where i.id = k.delivery_id and i.status = 'received')
        returning key`.catch(() => [])
      if (freed.length === 0) await handBack(request, turn)
    },
  }
}

/** Forgets keys that no longer protect anything. */
export function purgeKeys(db: Db): Promise<number> {
  return inBatches(
    (limit) => db`
      delete from idempotency_keys where (workspace_id, key) in (
        select workspace_id, key from idempotency_keys where created_at < now() - ${KEPT_HOURS} * interval '1 hour'
        order by created_at limit ${limit})`,
  )
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

/** Tells whether the request that has the key may still answer it. */
function isRunning(db: Db) {
  return db`
    case when k.holder = '' or k.created_at < now() - ${STUCK_S} * interval '1 second' then false
      else is_session_locked(k.holder) end`
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
