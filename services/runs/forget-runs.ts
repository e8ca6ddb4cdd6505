import type { Ids } from '#core/id.ts'
import { type Clock, isoTime } from '#core/time.ts'
import type { RunRetention } from '#store/run-retention.ts'

const BATCH = 100
/** A sweep gives way to the others after so many. */
const MOST = 1_000

interface ForgetDeps {
  retention: RunRetention
  ids: Ids
  clock: Clock
}

/** Forgets runs that ended before this many days, each with a record of it; answers how many. */
export async function forgetRuns({ retention, ids, clock }: ForgetDeps, days: number): Promise<number> {
  let total = 0
  while (total < MOST) {
    const expired = await retention.expired(days, BATCH)
    const forgotten = await retention.forget(
      expired.map(({ id, workspace_id, ended_at }) => ({
        id: ids.next('audit'),
        ts: isoTime(clock()),
        category: 'admin',
        action: 'run.forgotten',
        workspace_id,
        actor: { type: 'system', id: 'svc', auth: 'none' },
        run_id: id,
        subject: { type: 'run', id },
        data: { ended_at, retention_days: days },
      })),
      days,
    )
    total += forgotten
    if (forgotten < BATCH) break
  }
  return total
}
