import {
  type EngineSchedule,
  engineCalendars,
  engineInstants,
  type ScheduleEngine,
} from '#core/schedule/engine-spec.ts'
import type { FireRule } from '#core/schedule/next-fires.ts'
import { HOUR_MS } from '#core/time/time.ts'
import type { ScheduleRow, ScheduleStore } from '#store/schedules/schedules.ts'
import type { ServiceContext } from '../context.ts'
import { ruleOf, type ScheduleContext } from './schedule-record.ts'

const ON_TIME_MS = 60_000
const CATCHUP_MS = HOUR_MS

/** The schedule as the engine is to have it now. */
export function toEngineSchedule(
  { sha256 }: Pick<ServiceContext, 'sha256'>,
  row: ScheduleRow,
  rule: FireRule,
  now: number,
): EngineSchedule {
  const { id, workspace_id, name, timezone, jitter_s, version } = row
  const spec = {
    id,
    workspace_id,
    name,
    timezone,
    jitter_s,
    calendars: engineCalendars(rule),
    instants: engineInstants(rule, now),
    catchup_ms: row.catchup === 'none' ? ON_TIME_MS : CATCHUP_MS,
    paused: !row.enabled,
  }
  return { ...spec, note: `version ${version}, ${sha256(JSON.stringify(spec)).slice(0, 16)}` }
}

/** Sends a changed row to the engine. On failure the sync loop does it later; the answer tells which. */
export async function syncNow(ctx: ScheduleContext, row: ScheduleRow): Promise<ScheduleRow> {
  const { store, engine } = ctx.schedules
  if (engine === undefined) return row
  try {
    await putInEngine({ store, engine, sha256: ctx.sha256 }, row, ctx.clock())
    return { ...row, synced_version: row.version }
  } catch (cause) {
    ctx.later(() => Promise.reject(new Error(`schedule ${row.id} waits for the sync loop`, { cause })))
    return row
  }
}

/** Puts or removes a schedule in the engine, and notes the version. A row whose rule has become invalid is removed. */
async function putInEngine(
  deps: { store: ScheduleStore; engine: ScheduleEngine } & Pick<ServiceContext, 'sha256'>,
  row: ScheduleRow,
  now: number,
): Promise<void> {
  const rule = row.deleted_at === null ? ruleOf(row, now) : undefined
  if (rule === undefined) await deps.engine.remove(row)
  else await deps.engine.put(toEngineSchedule(deps, row, rule, now))
  await deps.store.markSynced(row.id, row.version)
}
