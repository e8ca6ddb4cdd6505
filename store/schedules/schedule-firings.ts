import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import type { LastFire } from '#core/schedule/schema.ts'
import { asJson, type Db } from '../db.ts'
import { inBatches } from '../sql/in-batches.ts'

/** The result of claiming one time of a schedule. */
export type FiringClaim =
  | { state: 'claimed'; run_id: string }
  | { state: 'settled'; outcome: string; run_id?: string | null; reason?: string | null }
  | { state: 'waiting'; active_run: string }
  /** caught up after an outage, behind this many others */
  | { state: 'in_line'; ahead: number }
  | { state: 'gone' }

export interface FiringSettlement {
  schedule_id: string
  nominal_at: string
  outcome: LastFire['outcome']
  run_id?: string
  reason?: string
}

/** A time that never ticked, and what became of it. */
export interface PassedFiring {
  nominal_at: string
  outcome: 'missed' | 'skipped'
  reason: string
}

type SettledRow = Pick<FiringSettlement, 'schedule_id' | 'nominal_at' | 'outcome'> & {
  run_id: string | null
  reason: string | null
}

/** Firings of schedules, one for each time. */
export function createScheduleFirings(db: Db) {
  return {
    /** `line` are the times that are made up for together with this one. */
    async claim(schedule_id: string, nominal_at: string, run_id: string, line: string[] = []): Promise<FiringClaim> {
      const [row] = await db<{ claim: FiringClaim }[]>`
        select claim_firing(${schedule_id}, ${nominal_at}::timestamptz, ${run_id}, ${line}::text[]::timestamptz[]) as claim`
      return row?.claim ?? { state: 'gone' }
    },

    /** The time of the last firing before `nominal_at`. */
    async lastBefore(schedule_id: string, nominal_at: string): Promise<string | undefined> {
      const [row] = await db<{ nominal_at: string }[]>`
        select nominal_at from schedule_firings where schedule_id = ${schedule_id} and nominal_at < ${nominal_at}::timestamptz
        order by schedule_firings.nominal_at desc limit 1`
      return row?.nominal_at
    },

    /** Writes down times that never ticked, unless the schedule has changed; answers with how many had no firing yet. */
    async recordPassed({ id, version }: { id: string; version: number }, passed: PassedFiring[]): Promise<number> {
      const [row] = await db<{ recorded: number }[]>`
        select record_passed(${id}, ${version}, ${passed.at(-1)?.nominal_at ?? null}::timestamptz,
          ${passedColumns(db, passed)}) as recorded`
      return row?.recorded ?? 0
    },

    /** Returns those of the times that have no firing. */
    async without(schedule_id: string, times: string[]): Promise<string[]> {
      const rows = await db<{ time: string }[]>`
        select time from unnest(${times}::text[]) time
        where not exists (select from schedule_firings f where f.schedule_id = ${schedule_id} and f.nominal_at = time::timestamptz)
        order by time::timestamptz`
      return rows.map(({ time }) => time)
    },

    /** Tells whether this time was claimed, or waits its turn, and is not settled; with the time by the database's clock. */
    async stateAt(schedule_id: string, nominal_at: string): Promise<{ is_open: boolean; now: string }> {
      const [row] = await db<{ is_open: boolean; now: string }[]>`
        select clock_timestamp() as now, exists (
          select from schedule_firings where schedule_id = ${schedule_id} and nominal_at = ${nominal_at}::timestamptz
            and outcome in ('claimed', 'waiting')) as is_open`
      if (row === undefined) throw new DomainError('internal', 'the database told no time')
      return row
    },

    /** Settles it unless it is settled, with its audit record; returns the settlement. */
    async settle(
      { schedule_id, nominal_at, outcome, run_id, reason }: FiringSettlement,
      audit?: AuditDraft,
    ): Promise<FiringSettlement> {
      const [row] = await db<SettledRow[]>`
        select schedule_id, nominal_at, outcome, run_id, reason from settle_firing(${schedule_id},
          ${nominal_at}::timestamptz, ${outcome}, ${run_id ?? null}, ${reason ?? null},
          ${audit === undefined ? null : db.json(asJson(audit))})`
      if (row === undefined) return { schedule_id, nominal_at, outcome }
      const { run_id: run, reason: why, ...rest } = row
      return { ...rest, ...(run === null ? {} : { run_id: run }), ...(why === null ? {} : { reason: why }) }
    },
  }
}

/** Times, outcomes and reasons, as the functions of the database take them. */
export function passedColumns(db: Db, passed: PassedFiring[]) {
  return db`${passed.map(({ nominal_at }) => nominal_at)}::text[]::timestamptz[],
    ${passed.map(({ outcome }) => outcome)}::text[], ${passed.map(({ reason }) => reason)}::text[]`
}

/** Forgets settled firings that are older than this; never the last of a schedule, nor its last that has a run. */
export function purgeScheduleFirings(db: Db, olderThanMs: number): Promise<number> {
  return inBatches(
    (limit) => db`
      delete from schedule_firings where (schedule_id, nominal_at) in (
        select schedule_id, nominal_at from schedule_firings f
        where nominal_at < now() - ${olderThanMs} * interval '1 millisecond' and outcome not in ('claimed', 'waiting')
          and exists (select from schedule_firings n where n.schedule_id = f.schedule_id and n.nominal_at > f.nominal_at)
          and (run_id is null or exists (
            select from schedule_firings n where n.schedule_id = f.schedule_id and n.nominal_at > f.nominal_at and n.run_id is not null))
        order by nominal_at limit ${limit})`,
  )
}
