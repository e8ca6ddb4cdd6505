import type { LegOutcome } from '#core/contract.ts'
import { hasEnded } from '#core/run/status.ts'
import type { StepDeps } from '../deps.ts'
import { type Attempt, attemptRecord, decidedRecords, draftAudit, settledCharge } from '../step/records.ts'
import { logEvents } from '../step/step-log.ts'
import { type JudgedStep, type RunFailure, type StepWork, stepKey } from '../step/work.ts'
import { dryRunOutputs } from './end-run.ts'
import { type RunSession, stoppedBy, writePatch } from './run-session.ts'

/** Ends the run as failed, with the step that failed, the attempt that was the last and, where it was judged, the verdict. */
export async function failRun(
  work: StepWork & { judged?: JudgedStep },
  failure: RunFailure,
  made?: Attempt,
): Promise<LegOutcome> {
  const { deps, session, step, judged } = work
  const attempt = made?.number ?? session.steps.get(step.id)?.attempt ?? 0
  const error = { ...failure, step: step.id }
  const decided =
    judged !== undefined && failure.code === 'PolicyDenied'
      ? decidedRecords(work, { ...judged, attempt, phase: 'deny', led_to: 'denial' })
      : undefined
  // the outputs of a run can fail when all its steps have ended: those stay as they are
  const ended = hasEnded(session.steps.get(step.id)?.state ?? 'pending')
  const settle = {
    ...stepKey(work),
    state: 'failed' as const,
    attempt,
    error,
    ...(made === undefined ? {} : settledCharge(made.charge)),
  }
  const recorded = await writePatch(deps, session, {
    ...(ended ? {} : { settle }),
    run: {
      status: 'failed',
      status_reason: failure.code,
      error,
      ...(session.head.dry_run && { outputs: dryRunOutputs(session) }),
    },
    events: [
      ...logEvents(step.id, attempt, made?.log),
      ...(decided ? [decided.event] : []),
      ...(failure.code === 'BudgetExceeded'
        ? [
            {
              key: `step/${step.id}/${attempt}/exceeded`,
              type: 'budget.exceeded' as const,
              step: step.id,
              data: { message: failure.message },
            },
          ]
        : []),
      ...(ended
        ? []
        : [
            {
              key: `step/${step.id}/${attempt}/failed`,
              type: 'step.failed' as const,
              step: step.id,
              data: error,
            },
          ]),
      { key: 'run/failed', type: 'run.failed', data: error },
    ],
    audit: [
      ...(decided ? [decided.audit] : []),
      ...(made && judged ? [attemptRecord({ ...work, judged }, made, 'failed')] : []),
      draftAudit(deps, session.head, {
        category: 'lineage',
        action: 'run.failed',
        data: { code: failure.code, step: step.id },
      }),
    ],
  })
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'closed', status: 'failed', code: failure.code }
}

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
