import type { AuditDraft } from '#core/audit/types.ts'
import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time.ts'
import { inBatches } from '#store/in-batches.ts'
import type { RunRetention } from '#store/run-retention.ts'

/** Much hangs on a run. */
const BATCH = { rows: 100, batches: 10 }

interface ForgetDeps {
  retention: RunRetention
  ids: Ids
  clock: Clock
}

/** Forgets runs that ended before this many days, each with a record of it; answers how many. */
export function forgetRuns({ retention, ids, clock }: ForgetDeps, days: number): Promise<number> {
  return inBatches(async (limit) => {
    const expired = await retention.expired(days, limit)
    const records = expired.map(
      ({ id, workspace_id, ended_at }): AuditDraft => ({
        id: ids.next('audit'),
        ts: isoTime(clock()),
        category: 'admin',
        action: 'run.forgotten',
        workspace_id,
        actor: { type: 'system', id: 'svc', auth: 'none' },
        run_id: id,
        subject: { type: 'run', id },
        data: { ended_at, retention_days: days },
      }),
    )
    return { count: await retention.forget(records, days) }
  }, BATCH)
}
