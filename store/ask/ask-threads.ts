import type { AskAction, AskCitation, AskToolUse } from '#core/ask/ask-schema.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import type { CloudEvent } from '#core/bus/cloud-event.ts'
import type { MicroUsd } from '#core/money.ts'
import { asJson, type Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'
import type { TenantDb } from '../tenant-db.ts'

/** The owner of a thread. */
export interface AskOwner {
  workspace_id: string
  account_id: string
  owner_id: string
}

export interface AskTurnRow {
  id: string
  thread_id: string
  workspace_id: string
  query: string
  answer: string
  grounded: boolean
  citations: AskCitation[]
  tools_used: AskToolUse[]
  recommended_workflow: string | null
  action: AskAction | null
  cost_micro_usd: MicroUsd
  cap_micro_usd: MicroUsd
  model: string
  created_at: string
}

/** The result of a tool, as the model saw it. */
export interface AskResultRow {
  id: string
  tool: string
  args: object
  ref: string
  result: string
  digest: string
}

export interface RecordedTurn {
  turn: AskTurnRow
  results: AskResultRow[]
  audit: AuditDraft
  event: CloudEvent
}

/** Threads of the ask agent. Each verb names the owner; other callers find nothing. */
export function createAskThreads(db: Db, tenants: TenantDb) {
  return {
    async isTheirs(id: string, owner: AskOwner): Promise<boolean> {
      const rows = await tenants.in(
        owner.workspace_id,
        (tenant) => tenant`
        select from ask_threads h where h.id = ${id} and ${theirs(tenant, owner)}`,
      )
      return rows.length > 0
    },

    /** The last turns of a thread, oldest first. */
    async turns(threadId: string, owner: AskOwner, limit: number): Promise<AskTurnRow[]> {
      const rows = await tenants.in(
        owner.workspace_id,
        (tenant) => tenant<AskTurnRow[]>`
        select ${columns(tenant)} from ask_turns t join ask_threads h on h.id = t.thread_id
        where t.thread_id = ${threadId} and ${theirs(tenant, owner)}
        order by t.created_at desc, t.id desc limit ${limit}`,
      )
      return rows.reverse()
    },

    async turn(threadId: string, turnId: string, owner: AskOwner): Promise<AskTurnRow | undefined> {
      const [row] = await tenants.in(
        owner.workspace_id,
        (tenant) => tenant<AskTurnRow[]>`
        select ${columns(tenant)} from ask_turns t join ask_threads h on h.id = t.thread_id
        where t.id = ${turnId} and t.thread_id = ${threadId} and ${theirs(tenant, owner)}`,
      )
      return row
    },

    /** Returns the cost of a turn so far; running calls count with their reservation. */
    async cost(turnId: string): Promise<MicroUsd> {
      const [row] = await db<{ cost: MicroUsd }[]>`
        select coalesce(sum(case state when 'reserved' then reserved_micro_usd else charged_micro_usd end), 0)::bigint as cost
        from model_calls where ask_turn_id = ${turnId}`
      return row?.cost ?? 0
    },

    async record(recorded: RecordedTurn): Promise<void> {
      await db`select record_ask_turn(${db.json(asJson(recorded))})`
    },
  }
}

const columns = (db: Db) => db`
  t.id, t.thread_id, t.workspace_id, t.query, t.answer, t.grounded, t.citations, t.tools_used, t.recommended_workflow, t.action,
  t.cost_micro_usd, t.cap_micro_usd, t.model, t.created_at`

const theirs = (db: Db, { workspace_id, account_id, owner_id }: AskOwner) => db`
  h.workspace_id = ${workspace_id} and h.account_id = ${account_id} and h.owner_id = ${owner_id}`

export type AskThreadStore = ReturnType<typeof createAskThreads>

/** No answer takes longer. */
const ANSWERED_WITHIN_H = 1

/**
 * Deletes threads without a question for this long, with their turns; the audit log keeps the record of answers. A thread that is being
 * answered stays. Returns the count.
 */
export function purgeAskThreads(db: Db, retention_ms: number): Promise<number> {
  return inBatches(
    (limit) => db`
      delete from ask_threads where id = any(array(
        select id from ask_threads t where last_turn_at < now() - make_interval(secs => ${retention_ms / 1_000})
          and not exists (select from model_calls c where c.workspace_id = t.workspace_id and c.ask_thread_id = t.id
            and c.created_at > now() - ${ANSWERED_WITHIN_H} * interval '1 hour')
        order by last_turn_at limit ${limit}))`,
  )
}
