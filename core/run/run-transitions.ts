import type { JsonObject } from '../json/json.ts'
import type { FailureCode } from './failure-codes.ts'
import type { Transition } from './patch.ts'
import { type Attempt, attemptEnded, decidedRecords, type JudgedFacts, type StepFacts } from './step-records.ts'

export interface RunFailure {
  code: FailureCode
  message: string
  retryable: boolean
  details?: JsonObject
}

export interface FailedAt {
  /** of the attempt at which it ended, 0 where none was made */
  attempt: number
  /** the attempt that was the last, where this execution made it */
  made?: Attempt | undefined
  /** absent where it could not be judged */
  judged?: JudgedFacts | undefined
  /** of that attempt, where it is not judged again */
  plan_hash?: string | undefined
  /** the step has ended before, and stays as it is: the outputs of a run can fail when all its steps have ended */
  step_ended: boolean
  /** what a dry run has found */
  outputs?: JsonObject | undefined
}

/** The run fails at a step. */
export function failed(of: StepFacts, failure: RunFailure, at: FailedAt): Transition {
  const { id } = of.step
  const { attempt, made, judged, plan_hash = judged?.plan_hash, step_ended, outputs } = at
  const { code, message } = failure
  const error = { ...failure, step: id }
  const decided =
    judged && code === 'PolicyDenied'
      ? decidedRecords(of, judged, { attempt, phase: 'deny', led_to: 'denial' })
      : undefined
  const ended = made && plan_hash !== undefined ? attemptEnded(of, made, { state: 'failed', plan_hash }) : undefined
  const key = `step/${id}/${attempt}`
  return {
    ...(!step_ended && { settle: { ...of.key, state: 'failed', attempt, error, ...ended?.settle } }),
    run: { status: 'failed', status_reason: code, error, ...(outputs && { outputs }) },
    events: [
      ...(ended?.events ?? []),
      ...(decided ? [decided.event] : []),
      ...(code === 'BudgetExceeded'
        ? [{ key: `${key}/exceeded`, type: 'budget.exceeded' as const, step: id, data: { message } }]
        : []),
      ...(step_ended ? [] : [{ key: `${key}/failed`, type: 'step.failed' as const, step: id, data: error }]),
      { key: 'run/failed', type: 'run.failed', data: error },
    ],
    audit: [
      ...(decided ? [decided.audit] : []),
      ...(ended ? [ended.audit] : []),
      { category: 'lineage', action: 'run.failed', data: { code, step: id } },
    ],
  }
}

/** All steps have ended. `tell`: somebody is to hear of it. */
export function runSucceeded(template: string, outputs: JsonObject, tell: boolean): Transition {
  return {
    run: { status: 'succeeded', outputs, ...(tell && { tell }) },
    events: [{ key: 'run/succeeded', type: 'run.succeeded', data: { outputs } }],
    audit: [{ category: 'lineage', action: 'run.succeeded', data: { template } }],
  }
}

/** A dry run ends with its report: failed where the run itself surely would. */
export function dryRunEnded(
  template: string,
  outputs: JsonObject,
  fails?: { step: string; code: string; message: string },
): Transition {
  const status = fails ? 'failed' : 'succeeded'
  const error = fails && { code: fails.code, message: fails.message, retryable: false, step: fails.step }
  return {
    run: { status, outputs, ...(error && { status_reason: error.code, error }) },
    events: [{ key: `run/${status}`, type: `run.${status}`, data: { dry_run: true, ...error, outputs } }],
    audit: [
      {
        category: 'lineage',
        action: `run.${status}`,
        data: error ? { code: error.code, step: error.step } : { template },
      },
    ],
  }
}

/** The run waits until a halt is lifted; null: until its workspace is restored. */
export function halted(step: string, halt_id: string | null): Transition {
  const data = halt_id === null ? { cause: 'workspace_archived' } : { halt_id }
  return {
    run: { status: 'running', status_reason: 'halted' },
    let_go: true,
    events: [{ key: `halt/${halt_id ?? 'archived'}/${step}`, type: 'run.progress', step, data }],
  }
}

/** The run ends because somebody, or its workspace, may not have it act any more. */
export function standingLost(step: string, { who, why }: { who: string; why: string }): Transition {
  const data = { cause: 'standing_lost', who, why, step }
  return {
    run: { status: 'cancelled', status_reason: 'standing_lost' },
    events: [{ key: 'run/cancelled', type: 'run.cancelled', data }],
    audit: [{ category: 'lineage', action: 'run.cancelled', data }],
  }
}
