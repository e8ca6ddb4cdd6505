import type { JsonObject } from '#core/json/json.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import type { AskRead } from './read.ts'

export interface AskScheduleRow {
  schedule_id: string
  name: string
  source: string
  cron: string
  timezone: string
  days: FireRule['days'] | null
  dst: FireRule['dst']
  template: string
  environment: string | null
  enabled: boolean
  dry_run: boolean
  last_fire: JsonObject | null
}

/** Lists the schedules in force, by name: of the same name, the console's overrides the overlay's, and that the packs'. */
export async function listAskSchedules({ workspace_id, in: read }: AskRead, limit: number): Promise<AskScheduleRow[]> {
  return await read(
    (db) => db<AskScheduleRow[]>`
    select s.id as schedule_id, s.name, s.source, s.cron, s.timezone, s.days, s.dst, s.pack || '/' || s.template as template, s.environment,
      s.enabled, s.dry_run, s.last_fire
    from schedules s where s.workspace_id = ${workspace_id} and s.deleted_at is null
      and not exists (
        select from schedules o where o.workspace_id = ${workspace_id} and o.name = s.name and o.deleted_at is null
          and array_position(array['console', 'overlay', 'pack', 'skill'], o.source) < array_position(array['console', 'overlay', 'pack', 'skill'], s.source))
    order by s.name, s.id limit ${limit}`,
  )
}

export interface AskFiringRow {
  nominal_at: string
  actual_at: string
  outcome: string
  reason: string | null
  run_id: string | null
}

/** Lists the last firings of a schedule, newest first. */
export async function listAskFirings(
  { workspace_id, in: read }: AskRead,
  scheduleId: string,
  limit: number,
): Promise<AskFiringRow[]> {
  return await read(
    (db) => db<AskFiringRow[]>`
    select f.nominal_at, f.actual_at, f.outcome, f.reason, f.run_id from schedule_firings f
    where f.workspace_id = ${workspace_id} and f.schedule_id = ${scheduleId} order by f.nominal_at desc limit ${limit}`,
  )
}
