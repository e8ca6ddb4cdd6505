import type { AuditDraft } from '#core/audit/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { LastFire, Schedule } from '#core/schedule/schema.ts'
import { asJson, type Db } from '../db.ts'
import type { TenantDb } from '../tenant-db.ts'
import { createScheduleFirings, type PassedFiring, passedColumns } from './schedule-firings.ts'

type Nullable<Record, Keys extends keyof Record> = { [Key in Keys]-?: NonNullable<Record[Key]> | null }

export interface ScheduleRow
  extends Pick<
      Schedule,
      | 'id'
      | 'workspace_id'
      | 'name'
      | 'source'
      | 'cron'
      | 'timezone'
      | 'pack'
      | 'template'
      | 'enabled'
      | 'catchup'
      | 'overlap'
      | 'jitter_s'
      | 'dst'
      | 'created_at'
      | 'updated_at'
    >,
    Nullable<
      Schedule,
      'days' | 'profile' | 'environment' | 'config_preset' | 'preset_version' | 'created_by' | 'last_fire'
    > {
  inputs: JsonObject
  dry_run: boolean
  /** the service account that made it */
  made_through: string | null
  version: number
  synced_version: number
  deleted_at: string | null
  /** true when no schedule of the same name overrides it */
  in_force: boolean
  /** until when every time is known to have its firing */
  accounted_until: string
  /** place in the list, exact to the microsecond */
  position: string
}

export type NewSchedule = Omit<
  ScheduleRow,
  | 'last_fire'
  | 'version'
  | 'synced_version'
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
  | 'accounted_until'
  | 'position'
  | 'in_force'
>

/** A time that has come, and what became of it. */
export type PastFiring = Pick<LastFire, 'nominal_at' | 'actual_at' | 'outcome'> & {
  run_id: string | null
  reason: string | null
}

/** Columns that a pack, a skill or a file declares; all others belong to a user or the service. */
const DECLARED = [
  ...['cron', 'timezone', 'days', 'pack', 'template', 'inputs', 'dry_run', 'profile', 'environment', 'config_preset'],
  ...['preset_version', 'catchup', 'overlap', 'jitter_s', 'dst'],
]

/** Schedules and their firings. Reads of routes are restricted to a workspace. */
export function createScheduleStore(db: Db, tenants: TenantDb) {
  // the same name: console over overlay, overlay over packs and skills
  const rank = (on: Db, table: string) =>
    on`array_position(array['console', 'overlay', 'pack', 'skill'], ${on(table)}.source)`
  const inForce = (on: Db) => on`s.deleted_at is null and not exists (
    select from schedules o where o.workspace_id = s.workspace_id and o.name = s.name and o.deleted_at is null
      and ${rank(on, 'o')} < ${rank(on, 's')})`
  const columns = (on: Db) => on`
    s.id, s.workspace_id, s.name, s.source, s.cron, s.timezone, s.days, s.pack, s.template, s.inputs, s.dry_run, s.profile,
    s.environment, s.config_preset, s.preset_version, s.enabled, s.catchup, s.overlap, s.jitter_s, s.dst, s.last_fire,
    s.created_by, s.made_through, s.version, s.synced_version, s.created_at, s.updated_at, s.deleted_at, s.accounted_until,
    s.created_at::text as position, ${inForce(on)} as in_force`
  const declaredOf = (on: Db, table: string) => on`(${on(DECLARED.map((column) => `${table}.${column}`))})`

  return {
    ...createScheduleFirings(db),

    /** Newest first; of those with the same name the one in force. */
    async list(
      workspace_id: string,
      page: { limit: number; after?: { position: string; id: string } | undefined },
    ): Promise<ScheduleRow[]> {
      return tenants.in(
        workspace_id,
        (on) => on<ScheduleRow[]>`
          select ${columns(on)} from schedules s where s.workspace_id = ${workspace_id} and ${inForce(on)}
            ${page.after === undefined ? on`` : on`and (s.created_at, s.id) < (${page.after.position}::timestamptz, ${page.after.id})`}
          order by s.created_at desc, s.id desc limit ${page.limit}`,
      )
    },

    async count(workspace_id: string, up_to: number): Promise<number> {
      const [row] = await tenants.in(
        workspace_id,
        (on) => on<{ count: number }[]>`
          select count(*) as count from (
            select from schedules s where s.workspace_id = ${workspace_id} and ${inForce(on)} limit ${up_to}) counted`,
      )
      return row?.count ?? 0
    },

    /** Undefined when it is unknown there, or deleted. */
    async findIn(workspace_id: string, id: string): Promise<ScheduleRow | undefined> {
      const [row] = await tenants.in(
        workspace_id,
        (on) => on<ScheduleRow[]>`
          select ${columns(on)} from schedules s
          where s.workspace_id = ${workspace_id} and s.id = ${id} and s.deleted_at is null`,
      )
      return row
    },

    /** Returns the last recorded times, newest first. */
    async past(workspace_id: string, id: string, most: number): Promise<PastFiring[]> {
      return tenants.in(
        workspace_id,
        (on) => on<PastFiring[]>`
          select nominal_at, actual_at, outcome, run_id, reason from schedule_firings
          where workspace_id = ${workspace_id} and schedule_id = ${id}
          order by schedule_firings.nominal_at desc limit ${most}`,
      )
    },

    /** Deleted ones too. */
    async find(id: string): Promise<ScheduleRow | undefined> {
      const [row] = await db<ScheduleRow[]>`select ${columns(db)} from schedules s where s.id = ${id}`
      return row
    },

    /** Returns every schedule for the engine, of all workspaces. */
    async allInForce(): Promise<ScheduleRow[]> {
      return db<ScheduleRow[]>`select ${columns(db)} from schedules s where ${inForce(db)} order by s.id`
    },

    /** Undefined when the name is taken in its layer. */
    async create(schedule: NewSchedule, audit: AuditDraft): Promise<ScheduleRow | undefined> {
      const { workspace_id, pack, template, config_preset } = schedule
      return await db.begin(async (sql) => {
        // it lasts as long as other users cannot see who pins it
        const held =
          config_preset === null ||
          (
            await sql`
              select from presets where workspace_id = ${workspace_id} and kind = 'config' and pack = ${pack}
                and template = ${template} and (name = ${config_preset} or id = ${config_preset}) for share`
          ).length > 0
        if (!held) return undefined
        const [row] = await sql<ScheduleRow[]>`
          with s as (
            insert into schedules ${db(asRow(db, schedule))}
            on conflict (workspace_id, name, source) where deleted_at is null do nothing returning *
          ), audited as (
            insert into audit_outbox (draft) select ${db.json(asJson(audit))} from s
          )
          select ${columns(db)} from s`
        return row
      })
    },

    /** Undefined when the record has changed its version. `passed` are the times up to `until` that have not ticked. */
    async change(
      row: Pick<ScheduleRow, 'id' | 'version'>,
      change: { enabled: boolean; deleted: boolean; until: string; passed: PassedFiring[] },
      audit: AuditDraft,
    ): Promise<ScheduleRow | undefined> {
      const [changed] = await db<ScheduleRow[]>`
        select ${columns(db)} from change_schedule(${row.id}, ${row.version}, ${change.enabled}, ${change.deleted},
          ${change.until}::timestamptz, ${passedColumns(db, change.passed)}, ${db.json(asJson(audit))}) s`
      return changed
    },

    /** Returns the current schedule, if its declaration has changed. */
    async toBeChanged(schedule: NewSchedule): Promise<ScheduleRow | undefined> {
      const { workspace_id, name, source } = schedule
      const [row] = await db<ScheduleRow[]>`
        select ${columns(db)} from schedules s, jsonb_populate_record(null::schedules, ${db.json(asJson(schedule))}) d
        where s.workspace_id = ${workspace_id} and s.name = ${name} and s.source = ${source} and s.deleted_at is null
          and ${declaredOf(db, 's')} is distinct from ${declaredOf(db, 'd')}`
      return row
    },

    /** Writes declarations of packs, skills and files to the table; pausing stays a user's choice. */
    async declare(schedule: NewSchedule): Promise<void> {
      const { id: _id, enabled: _enabled, ...change } = schedule
      await db`
        insert into schedules ${db(asRow(db, schedule))}
        on conflict (workspace_id, name, source) where deleted_at is null do update
          set ${db(asRow(db, change))}, version = schedules.version + 1, updated_at = now(), accounted_until = now()
          where ${declaredOf(db, 'schedules')} is distinct from ${declaredOf(db, 'excluded')}`
    },

    /** Returns schedules that are declared no longer; `kept` are keys `workspace|source|name`, and whole sources can be spared. */
    async undeclared(kept: string[], spared: readonly ScheduleRow['source'][]): Promise<ScheduleRow[]> {
      return db<ScheduleRow[]>`
        select ${columns(db)} from schedules s
        where s.source <> 'console' and s.source <> all(${[...spared]}::text[]) and s.deleted_at is null
          and not s.workspace_id || '|' || s.source || '|' || s.name = any(${kept}::text[])`
    },

    /** Deletes what packs, skills and files declare no more. */
    async withdraw(ids: string[]): Promise<void> {
      await db`
        with s as (
          update schedules set deleted_at = now(), version = version + 1, updated_at = now()
          where id = any(${ids}) and deleted_at is null returning id, workspace_id, name
        )
        update schedules o set accounted_until = now() from s
        where o.workspace_id = s.workspace_id and o.name = s.name and not o.id = any(${ids})`
    },

    async markSynced(id: string, version: number): Promise<void> {
      await db`update schedules set synced_version = ${version} where id = ${id} and synced_version < ${version}`
    },
  }
}

export type ScheduleStore = ReturnType<typeof createScheduleStore>

function asRow<Row extends { inputs: JsonObject; dst: object }>(db: Db, row: Row) {
  return { ...row, inputs: db.json(asJson(row.inputs)), dst: db.json(asJson(row.dst)) }
}
