import type { Log } from '#core/log.ts'
import type { EngineSchedule, EngineScheduleState, ScheduleEngine } from '#core/schedule/engine-spec.ts'
import { type FireRule, nextFires } from '#core/schedule/next-fires.ts'
import type { ScheduleRow } from '#store/schedules/schedules.ts'
import { type DeclareDeps, declareSchedules } from './declare-schedules.ts'
import { toEngineSchedule } from './put-in-engine.ts'
import { recordMissed } from './record-passed.ts'
import { ruleOf } from './schedule-record.ts'
import { tickLost } from './tick-lost.ts'

export interface SyncDeps extends DeclareDeps {
  engine: ScheduleEngine
  log: Pick<Log, 'info' | 'warn'>
}

export interface SyncResult {
  /** brought to the engine because the row was new there or had changed */
  put: number
  /** brought back because the engine had something else */
  drifted: number
  /** removed from the engine because they have no row */
  removed: number
  /** times that never ticked and were written down as missed */
  missed: number
  /** times whose tick was lost, and that tick now */
  ticked: number
}

const AT_ONCE = 8
/** A tick that is so near may fall between the two reads. */
const SOON_MS = 5_000

/** Makes the engine's schedules equal the table's rows. */
export async function syncSchedules(deps: SyncDeps): Promise<SyncResult> {
  await declareSchedules(deps)
  const result: SyncResult = { put: 0, drifted: 0, removed: 0, missed: 0, ticked: 0 }
  const rows = await deps.store.allInForce()
  const sound = new Set<string>()
  const queue = [...rows]
  const failures: unknown[] = []
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
        const rule = ruleOf(row, deps.clock())
        if (rule === undefined) continue
        sound.add(row.id)
        try {
          result.missed += await recordMissed(deps, row, rule)
          result.ticked += await tickLost(deps, row, rule)
          await syncOne(deps, row, rule, result)
        } catch (error) {
          failures.push(error)
        }
      }
    }),
  )
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} schedules: ${failures[0]}`)
  for (const key of await deps.engine.list()) {
    if (sound.has(key.id) || (await isSoundNow(deps, rows, key.id))) continue
    await deps.engine.remove(key)
    result.removed += 1
  }
  if (result.drifted + result.removed > 0) deps.log.warn({ ...result }, 'the engine had other schedules than the table')
  else if (result.put > 0) deps.log.info({ ...result }, 'schedules were brought to the engine')
  if (result.missed > 0) deps.log.warn({ missed: result.missed }, 'times of schedules passed without a tick')
  if (result.ticked > 0) deps.log.warn({ ticked: result.ticked }, 'times of schedules whose tick was lost tick now')
  return result
}

/** A schedule that was made during the read is no orphan. */
async function isSoundNow({ store }: SyncDeps, rows: ScheduleRow[], id: string): Promise<boolean> {
  if (rows.some((row) => row.id === id)) return false
  const inForce = await store.allInForce()
  return inForce.some((row) => row.id === id)
}

async function syncOne(deps: SyncDeps, row: ScheduleRow, rule: FireRule, result: SyncResult): Promise<void> {
  const now = deps.clock()
  const wanted = toEngineSchedule(deps, row, rule, now)
  const state = await deps.engine.inspect(row)
  if (state === undefined || isOther(wanted, state, rule, now)) {
    const isKnown = row.synced_version >= row.version
    await deps.engine.put(wanted)
    if (isKnown) result.drifted += 1
    else result.put += 1
  }
  await deps.store.markSynced(row.id, row.version)
}

/** The note tells of our own changes, the state and the next ticks of those that others made. */
function isOther(wanted: EngineSchedule, state: EngineScheduleState, rule: FireRule, now: number): boolean {
  if (state.paused !== wanted.paused || state.note !== wanted.note) return true
  if (wanted.paused || wanted.jitter_s > 0) return false
  const expected = nextFires(rule, now + SOON_MS, 1)[0]
  return expected !== undefined && state.next.length > 0 && !state.next.includes(expected)
}
