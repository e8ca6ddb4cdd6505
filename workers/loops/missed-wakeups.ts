import type { Log } from '#core/log.ts'
import { createLru } from '#core/lru.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'
import type { OverdueQueries } from '#store/overdue.ts'

/** A workflow that got the decision has recorded something within this time. */
const QUIET_MS = 15_000
/** A workflow reads the record again after an hour, or at once when that has passed while its engine was down. */
const WITHIN_MS = 4_200_000
const LIMIT = 5_000
const REMEMBERED = 10_000

export interface MissedWakeupDeps {
  overdue: Pick<OverdueQueries, 'quietSinceDecision'>
  workflows: Pick<RunWorkflows, 'wake'>
  log: Pick<Log, 'info' | 'warn'>
}

/**
 * Wakes runs whose approval, or cancellation, is recorded but may be unknown to the engine, which was killed before it stored the message.
 * Once for each decision; a run at a long step is woken too, and continues it.
 */
export function createMissedWakeups({ overdue, workflows, log }: MissedWakeupDeps): () => Promise<void> {
  const woken = createLru<string, true>(REMEMBERED)
  return async function resendWakeups(): Promise<void> {
    let count = 0
    for (const { run_id, decision } of await overdue.quietSinceDecision(QUIET_MS, WITHIN_MS, LIMIT)) {
      if (woken.get(decision)) continue
      try {
        await workflows.wake(run_id)
        woken.set(decision, true)
        count += 1
      } catch (error) {
        log.warn({ run_id, err: error }, 'a run that was decided about could not be woken')
      }
    }
    if (count > 0) log.info({ count }, 'woke runs that had recorded nothing since their decision')
  }
}
