import { totalCost, usdFromMicro } from '#core/money.ts'
import type { OperatorError } from '#core/operator.ts'
import type { ForetoldStep } from '#core/run/dry-run-schema.ts'
import { type Attempt, settledCharge } from './attempt.ts'
import { foretoldRecord } from './foretold-steps.ts'
import { flush, stoppedBy } from './run-session.ts'
import { remember } from './settle-step.ts'
import { logEvents } from './step-log.ts'
import { attemptRecord, decidedRecords } from './step-records.ts'
import type { JudgedStep } from './step-work.ts'
import { type JudgedWork, type StepEnd, type StepWork, stepKey } from './step-work.ts'

const WORDS: Readonly<Record<ForetoldStep['would'], string>> = {
  act: 'would act',
  read: 'would read',
  wait: 'would wait',
  be_skipped: 'would be skipped',
  be_refused: 'would be refused',
  fail: 'would fail',
  unknown: 'cannot be judged',
}

/** Settles a step of a dry run as not done, with what it would do. */
export async function settleForetold(
  work: StepWork & { judged?: JudgedStep },
  foretold: ForetoldStep,
): Promise<StepEnd> {
  const { deps, session, step, judged } = work
  const refused = await flush(deps, session)
  if (refused !== undefined) return stoppedBy(refused)
  const simulation = foretoldRecord(foretold)
  const decided =
    judged === undefined
      ? undefined
      : decidedRecords(work, { ...judged, attempt: 0, phase: 'foretold', led_to: 'report' })
  const { would, summary } = foretold
  session.pending = {
    settle: {
      ...stepKey(work),
      state: 'skipped',
      attempt: 0,
      outputs: {},
      simulation,
      message: `a dry run: not executed; ${WORDS[would]}: ${summary}`,
    },
    events: [
      ...(decided === undefined ? [] : [decided.event]),
      {
        key: `step/${step.id}/foretold`,
        type: 'step.completed',
        step: step.id,
        data: { dry_run: true, executed: false, would, summary },
      },
    ],
    audit: decided === undefined ? [] : [decided.audit],
  }
  remember(work, { state: 'skipped', attempt: 0, outputs: {}, simulation })
  return { kind: 'settled' }
}

/** A read of a dry run that was tried and failed. It is not tried again: the run would go on without it at most as this says. */
export async function settleFailedRead(
  work: JudgedWork,
  made: Attempt,
  { error, foretold }: { error: OperatorError; foretold: ForetoldStep },
): Promise<StepEnd> {
  const { deps, session, step } = work
  const refused = await flush(deps, session)
  if (refused !== undefined) return stoppedBy(refused)
  const { code, message, retryable } = error
  const simulation = foretoldRecord({ ...foretold, would: 'fail', executed: true, error: { code, message } })
  const failure = { code, message, retryable, step: step.id }
  session.pending = {
    settle: {
      ...stepKey(work),
      state: 'failed',
      attempt: made.number,
      error: failure,
      simulation,
      ...settledCharge(made.charge),
    },
    events: [
      ...logEvents(step.id, made.number, made.log),
      {
        key: `step/${step.id}/${made.number}/failed`,
        type: 'step.failed',
        step: step.id,
        data: {
          ...failure,
          ...{ attempt: made.number, dry_run: true, executed: true },
          cost_usd: usdFromMicro(totalCost(made.charge.cost)),
        },
      },
    ],
    audit: [attemptRecord(work, made, 'failed')],
  }
  remember(work, { state: 'failed', attempt: made.number, error: failure, simulation })
  return { kind: 'settled' }
}
