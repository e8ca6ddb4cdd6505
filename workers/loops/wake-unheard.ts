import { createLru } from '#core/lru.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'
import type { OverdueQueries } from '#store/overdue.ts'

/** Whoever has heard of an approval has long recorded something by then. */
const QUIET_MS = 15_000
/** A workflow asks the record again after an hour, or at once when that has passed while its engine was down. */
const WITHIN_MS = 4_200_000
const LIMIT = 5_000
const REMEMBERED = 10_000

export interface UnheardDeps {
  overdue: Pick<OverdueQueries, 'quietSinceApproval'>
  workflows: Pick<RunWorkflows, 'wake'>
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/**
 * Wakes runs whose approval is on record and of which the engine may know nothing: it had not written down what it heard when it
 * was killed. Once for each gate; a run that is at a long step is woken too, and goes on with it.
 */
export function createUnheard({ overdue, workflows, log }: UnheardDeps): () => Promise<void> {
  const woken = createLru<string, true>(REMEMBERED)
  return async function wakeUnheard(): Promise<void> {
    let count = 0
    for (const { run_id, gate_id } of await overdue.quietSinceApproval(QUIET_MS, WITHIN_MS, LIMIT)) {
      if (woken.get(gate_id)) continue
      try {
        await workflows.wake(run_id)
        woken.set(gate_id, true)
        count += 1
      } catch (error) {
        log.warn({ run_id, error: String(error) }, 'an approved run could not be woken')
      }
    }
    if (count > 0) log.info({ count }, 'woke approved runs of which nothing was heard')
  }
}
