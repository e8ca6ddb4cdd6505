import type { LegOutcome } from '#core/contract.ts'
import { hasEnded } from '#core/run/status.ts'
import type { StepDeps } from './deps.ts'
import { failRun } from './fail-run.ts'
import type { RunSession } from './run-session.ts'

/** Ends a run whose next step has ended every process that worked on it, so that the next one is spared. */
export async function setAsideRun(deps: StepDeps, session: RunSession): Promise<LegOutcome> {
  const { plan, steps, head } = session
  const stateOf = (id: string) => steps.get(id)?.state ?? 'pending'
  const step = plan.steps.find(({ id }) => !hasEnded(stateOf(id))) ?? plan.steps.at(-1)
  if (step === undefined) throw new Error(`the plan of run ${head.id} has no step`)
  const { processes_ended } = head
  const begun =
    stateOf(step.id) === 'running'
      ? 'The step had begun, and its effect may have happened: look at the target first.'
      : 'The step had not begun.'
  const message = `${processes_ended} processes ended while they worked on step ${step.id}, so it is not tried again by itself. ${begun} Mend what it meets (the template, its inputs, the memory of the worker), then start the run again.`
  return await failRun(
    { deps, session, step },
    { code: 'process_ended', message, retryable: false, details: { processes_ended } },
  )
}
