import postgres from 'postgres'
import type { AuditDraft } from '#core/audit/types.ts'
import type { MicroUsd } from '#core/money.ts'
import type { RunStatus } from '#core/run/status.ts'
import { asJson, type Db } from '../db.ts'
import type { Fenced, OpeningRefusal } from '../runs/run-answers.ts'

/** The highest cost of one attempt to call a model, and the caps that it has to fit under. */
export interface ModelReservation {
  id: string
  workspace_id: string
  run_id?: string | undefined
  /** the attempt of that run that makes the call, and is charged for it */
  step?: { step_id: string; attempt: number; plan_hash: string; fence: number } | undefined
  key_id?: string | undefined
  environment: string
  model: string
  reserve_micro_usd: MicroUsd
  /** of the run that is named, besides the one it began with; else of this call */
  run_cap_micro_usd: MicroUsd
  daily_cap_micro_usd?: MicroUsd | undefined
  workspace_daily_cap_micro_usd?: MicroUsd | undefined
  /** the turn of the ask agent that it is made for, with its cap and the daily cap of each person behind it in this workspace */
  ask_thread_id?: string | undefined
  ask_turn_id?: string | undefined
  /** owner of the thread, where this call may be its first */
  ask_opens?: { account_id: string; owner_id: string } | undefined
  ask_turn_cap_micro_usd?: MicroUsd | undefined
  ask_people?: string[] | undefined
  ask_day_cap_micro_usd?: MicroUsd | undefined
  /** UTC day */
  day: string
  /** false while authentication is off */
  ask_standing: boolean
  /** requesters, for halts on a user */
  requesters: string[]
  /** the audit record so far; it is completed when the attempt is settled */
  record: Omit<AuditDraft, 'id' | 'ts'>
}

export interface ModelSettlement {
  id: string
  basis: 'reported' | 'estimate' | 'unspent'
  charged_micro_usd: MicroUsd
  overrun_micro_usd: MicroUsd
  audit: AuditDraft
}

export type ModelRefusal =
  | OpeningRefusal
  | Fenced
  | { refused: 'not_found' }
  | { refused: 'terminal'; status: RunStatus }
  | {
      refused: 'budget'
      scope: 'call' | 'run' | 'turn' | 'person' | 'key' | 'environment' | 'workspace' | 'pipeline'
      cap_micro_usd: MicroUsd
      spent_micro_usd?: MicroUsd
    }

/** The facts of the run that a call is made for. */
export interface ModelRun {
  environment: string
  profile: string
}

/** Raised where the cap of a day is exceeded; nothing of that statement has happened. */
const OVER_BUDGET = 'SVC01'
/** An attempt without renewal for this long has lost its process. */
const LEASE_S = 30

/** Attempts to call models. Each verb is one statement. */
export function createModelCalls(db: Db) {
  return {
    /** The run, if it is one of the workspace. */
    async run(workspaceId: string, runId: string): Promise<ModelRun | undefined> {
      const [row] = await db<ModelRun[]>`
        select environment, profile from runs where id = ${runId} and workspace_id = ${workspaceId}`
      return row
    },

    /** Undefined when it is reserved. */
    async reserve(reservation: ModelReservation): Promise<ModelRefusal | undefined> {
      try {
        const [row] = await db<{ answer: ModelRefusal | { refused?: never } }[]>`
          select reserve_model_call(${db.json(asJson({ ...reservation, lease_s: LEASE_S }))}) as answer`
        return row?.answer.refused === undefined ? undefined : row.answer
      } catch (error) {
        if (error instanceof postgres.PostgresError && error.code === OVER_BUDGET)
          return JSON.parse(error.message) as ModelRefusal
        throw error
      }
    },

    /** Returns the charge, of now or before. */
    async settle(settlement: ModelSettlement): Promise<MicroUsd> {
      const [row] = await db<{ answer: { charged_micro_usd?: MicroUsd } }[]>`
        select settle_model_call(${db.json(asJson(settlement))}) as answer`
      return row?.answer.charged_micro_usd ?? settlement.charged_micro_usd
    },

    /** Renews running attempts. */
    async renew(ids: string[]): Promise<void> {
      await db`
        update model_calls set leased_until = now() + ${LEASE_S} * interval '1 second'
        where id = any(${ids}::text[]) and state = 'reserved'`
    },

    /** Charges attempts without renewal; returns their number. */
    async settleLost(limit: number): Promise<number> {
      const rows = await db<{ id: string }[]>`
        select id from model_calls where state = 'reserved' and leased_until < now() order by leased_until limit ${limit}`
      let settled = 0
      for (const { id } of rows) {
        const [row] = await db<{ answer: { settled: boolean } }[]>`
          select settle_model_call(${db.json({ id })}) as answer`
        if (row?.answer.settled) settled += 1
      }
      return settled
    },
  }
}

export type ModelCallStore = ReturnType<typeof createModelCalls>
