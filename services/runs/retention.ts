import type { Ids } from '#core/id.ts'
import type { RunRetention } from '#store/runs/run-retention.ts'
import { inBatches } from '#store/sql/in-batches.ts'

/** Much hangs on a run, and on a pipeline. */
const BATCH = { rows: 100, batches: 10 }

interface ForgetDeps {
  retention: RunRetention
  ids: Ids
}

/** Forgets runs that ended before this many days, each with a record of it; answers how many. */
export function forgetRuns({ retention, ids }: ForgetDeps, days: number): Promise<number> {
  return inBatches(async (limit) => {
    const expired = await retention.expired(days, limit)
    const forgotten = expired.map((run_id) => ({ run_id, audit_id: ids.next('audit') }))
    return { count: await retention.forget(forgotten, days) }
  }, BATCH)
}

/** Deletes pipelines that ended before this many days, once their runs were deleted, each with an audit record; returns how many. */
export function forgetPipelines({ retention, ids }: ForgetDeps, days: number): Promise<number> {
  return inBatches(async (limit) => {
    const expired = await retention.expiredPipelines(days, limit)
    const forgotten = expired.map((pipeline_id) => ({ pipeline_id, audit_id: ids.next('audit') }))
    return { count: await retention.forgetPipelines(forgotten, days) }
  }, BATCH)
}
