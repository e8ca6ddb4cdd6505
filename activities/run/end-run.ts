import type { AdvanceOutcome } from '#core/contract.ts'
import { DomainError } from '#core/errors.ts'
import { renderValue } from '#core/expression/parse-template-string.ts'
import { type JsonObject, objectOf } from '#core/json/json.ts'
import { usdFromMicro } from '#core/money.ts'
import { dryRunReport, wouldEndAt } from '#core/run/dry-run-report.ts'
import type { Transition } from '#core/run/patch.ts'
import { dryRunEnded, failed, type RunFailure, runSucceeded } from '#core/run/run-transitions.ts'
import { hasEnded, type TerminalStatus } from '#core/run/status.ts'
import type { Attempt } from '#core/run/step-records.ts'
import type { StepDeps } from '../deps.ts'
import { type JudgedStep, type StepWork, workOn } from '../step/work.ts'
import { commitOrStop, flush, release, stoppedBy, type WriteDeps } from './commit.ts'
import { expressionScope, predictedSteps, type RunSession } from './run-session.ts'

/** Ends a run whose steps have all ended: with the outputs of its template, or with the report of a dry run. */
export async function endRun(deps: StepDeps, session: RunSession): Promise<AdvanceOutcome> {
  return await (session.head.dry_run ? endDryRun(deps, session) : succeedRun(deps, session))
}

async function succeedRun(deps: StepDeps, session: RunSession): Promise<AdvanceOutcome> {
  const { plan } = session
  const last = plan.steps.at(-1)
  let outputs: JsonObject
  try {
    outputs = session.redactor.data(renderValue(plan.outputs, expressionScope(session)) as JsonObject)
  } catch (error) {
    if (!(error instanceof DomainError) || last === undefined) throw error
    await flush(deps, session)
    const failure = { code: 'outputs_invalid' as const, message: error.message, retryable: false }
    return await failRun(workOn(deps, session, last), failure)
  }
  return await close(deps, session, 'succeeded', runSucceeded(plan.digest, outputs, isAwaited(session)))
}

/** After a decision people hear how it ended, and so does everybody whom the environment names. */
function isAwaited({ gates, environment }: RunSession): boolean {
  return gates.some(({ status }) => status === 'approved') || (environment.notify?.on.includes('succeeded') ?? false)
}

async function endDryRun(deps: StepDeps, session: RunSession): Promise<AdvanceOutcome> {
  const end = wouldEndAt(predictedSteps(session))
  const fails = end && { code: 'unknown', message: end.summary, ...end.error, step: end.id }
  const transition = dryRunEnded(session.plan.digest, dryRunOutputs(session), fails)
  return await close(deps, session, fails ? 'failed' : 'succeeded', transition)
}

async function close(
  deps: StepDeps,
  session: RunSession,
  status: TerminalStatus,
  transition: Transition,
): Promise<AdvanceOutcome> {
  const stopped = await commitOrStop(deps, session, transition)
  if (stopped !== undefined) return stopped
  deps.fault('after_close')
  return { kind: 'closed', status }
}

/** What a dry run has found up to here. Outputs of the template would be made of what did not happen. */
function dryRunOutputs(session: RunSession): JsonObject {
  const { cap_micro_usd, spent_micro_usd } = session.head
  const report = dryRunReport(predictedSteps(session), usdFromMicro(cap_micro_usd), usdFromMicro(spent_micro_usd))
  return { dry_run: objectOf(report) }
}

/** Ends the run as failed, with the step that failed, the attempt that was the last and, where it was judged, the verdict. */
export async function failRun(
  work: StepWork & { judged?: JudgedStep },
  failure: RunFailure,
  made?: Attempt,
): Promise<AdvanceOutcome> {
  const { deps, session, of, record, judged } = work
  const transition = failed(of, failure, {
    attempt: made?.number ?? record?.attempt ?? 0,
    made,
    judged,
    plan_hash: judged?.plan_hash ?? record?.plan_hash ?? undefined,
    step_ended: hasEnded(record?.state ?? 'pending'),
    outputs: session.head.dry_run ? dryRunOutputs(session) : undefined,
  })
  return (await commitOrStop(deps, session, transition)) ?? { kind: 'closed', status: 'failed', code: failure.code }
}

/** Ends a run whose next step has ended every process that worked on it, so that the next process is spared. */
export async function setAsideRun(deps: StepDeps, session: RunSession): Promise<AdvanceOutcome> {
  const { plan, steps, head } = session
  const stateOf = (id: string) => steps.get(id)?.state ?? 'pending'
  const step = plan.steps.find(({ id }) => !hasEnded(stateOf(id))) ?? plan.steps.at(-1)
  if (step === undefined) throw new Error(`the plan of run ${head.id} has no step`)
  const { processes_ended } = head
  const begun =
    stateOf(step.id) === 'running'
      ? 'The step had begun, and its effect may have happened: look at the target first.'
      : 'The step had not begun.'
  const message = `${processes_ended} processes ended while they worked on step ${step.id}, so it is not tried again automatically. ${begun} Fix the cause (the template, its inputs or the memory of the worker), then start the run again.`
  const failure = { code: 'process_ended' as const, message, retryable: false, details: { processes_ended } }
  return await failRun(workOn(deps, session, step), failure)
}

/** Releases the run if another execution follows. A yield that is refused ends as the refusal says; a delay stays a delay. */
export async function releaseAfter(
  deps: WriteDeps,
  session: RunSession,
  outcome: AdvanceOutcome,
): Promise<AdvanceOutcome> {
  if (outcome.kind !== 'yielded' && outcome.kind !== 'delayed') return outcome
  const refused = await release(deps, session)
  return refused !== undefined && outcome.kind === 'yielded' ? stoppedBy(refused) : outcome
}
