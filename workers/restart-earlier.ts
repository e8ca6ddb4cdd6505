import type { RunStart } from '#core/contract.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'
import type { RunStore } from '#store/runs.ts'

/** Types that runs had before, newest last. */
const EARLIER = ['runV1']

/** Runs of an earlier type go on as today's: all that they are is on record. */
export async function restartEarlier({
  workflows,
  runs,
  restart,
  log,
}: {
  workflows: Pick<RunWorkflows, 'openOf'>
  runs: Pick<RunStore, 'findStarts'>
  restart(run: RunStart): Promise<void>
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}): Promise<void> {
  for (const type of EARLIER) {
    try {
      const starts = await runs.findStarts(await workflows.openOf(type))
      for (const start of starts) await restart(start)
      if (starts.length > 0) log.info({ type, count: starts.length }, 'runs of an earlier type were started again')
    } catch (error) {
      log.warn({ type, error: String(error) }, 'runs of an earlier type could not be started again')
    }
  }
}
