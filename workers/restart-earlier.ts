import type { Log } from '#core/log.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'

/** Workflows of an earlier type go on as today's: all that they are is on record. */
export async function restartEarlier<Start>({
  type,
  workflows,
  find,
  restart,
  log,
}: {
  type: string
  workflows: Pick<RunWorkflows, 'openOf'>
  /** what the record says of the workflows with these ids */
  find(workflowIds: string[]): Promise<Start[]>
  restart(start: Start): Promise<void>
  log: Pick<Log, 'info' | 'warn'>
}): Promise<void> {
  try {
    const starts = await find(await workflows.openOf(type))
    for (const start of starts) await restart(start)
    if (starts.length > 0) log.info({ type, count: starts.length }, 'workflows of an earlier type were started again')
  } catch (error) {
    log.warn({ type, err: error }, 'workflows of an earlier type could not be started again')
  }
}
