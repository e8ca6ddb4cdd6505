import type { AuditDraft } from '#core/audit/types.ts'
import { DomainError } from '#core/errors.ts'
import { compileSchedule } from '#core/schedule/compile-schedule.ts'
import type { ScheduleEngine } from '#core/schedule/engine-spec.ts'
import { type FireRule, nextFires } from '#core/schedule/next-fires.ts'
import type { LastFire, Schedule } from '#core/schedule/schema.ts'
import { isoTime } from '#core/time/time.ts'
import type { ScheduleRow, ScheduleStore } from '#store/schedules/schedules.ts'
import { auditBy } from '../audit/read-audit.ts'
import type { ServiceContext, StartContext } from '../context.ts'
import { splitInputs } from '../runs/configure-inputs.ts'

/** The schedule as people see it; what its template has declared secret since it was made, by its name alone. */
export function toScheduleRecord(
  { packs }: { packs: Pick<ServiceContext['packs'], 'findTemplate'> },
  row: ScheduleRow,
  now: number,
): Schedule {
  const {
    version,
    synced_version,
    deleted_at: _deleted,
    accounted_until: _accounted,
    position: _position,
    in_force: _in_force,
    made_through: _made_through,
    ...all
  } = row
  const { dry_run: _dry, ...rest } = all
  const { days, profile, environment, config_preset, preset_version, created_by, last_fire, ...columns } = rest
  const rule = ruleOf(row, now)
  const next = row.enabled && rule !== undefined ? nextFires(rule, now, 1)[0] : undefined
  const template = packs.findTemplate(row.pack, row.template)
  return {
    ...columns,
    ...(template !== undefined && { inputs: splitInputs(template.inputs_schema, row.inputs).public }),
    ...present({ days, profile, environment, config_preset, preset_version, created_by }),
    sync: synced_version >= version ? 'synced' : 'pending',
    ...(next !== undefined && { next_fire_at: isoTime(next) }),
    ...(last_fire === null ? {} : { last_fire: toLastFire(last_fire) }),
    etag: `"${version}"`,
  }
}

/** Undefined for a rule that has become invalid, for example because its zone was removed. */
export function ruleOf({ cron, timezone, days, dst }: ScheduleRow, now: number): FireRule | undefined {
  try {
    return compileSchedule({ cron, timezone, dst, ...(days === null ? {} : { days }) }, now)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'invalid_schedule') return undefined
    throw error
  }
}

/** The audit record of a change that the caller makes to a schedule. */
export function scheduleAudit(
  ctx: Pick<ServiceContext, 'actor' | 'attempt' | 'channel' | 'clock' | 'ids' | 'workspace_id'>,
  id: string,
  record: Pick<AuditDraft, 'action' | 'data'>,
): AuditDraft {
  return auditBy(ctx, {
    category: 'config',
    workspace_id: ctx.workspace_id,
    subject: { type: 'schedule', id },
    ...record,
  })
}

/** Postgres writes times in JSON with its own offset. */
function toLastFire(fire: LastFire): LastFire {
  return {
    ...fire,
    nominal_at: isoTime(Date.parse(fire.nominal_at)),
    actual_at: isoTime(Date.parse(fire.actual_at)),
  }
}

function present<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as {
    [Key in keyof Fields]?: NonNullable<Fields[Key]>
  }
}

/** The dependencies of schedules. Without an engine, rows wait for the sync loop of a worker. */
export interface SchedulePorts {
  store: ScheduleStore
  engine?: ScheduleEngine
}

export type ScheduleContext = StartContext & { schedules: SchedulePorts }
