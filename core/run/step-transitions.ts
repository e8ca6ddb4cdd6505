import type { JsonObject } from '../json/json.ts'
import { totalCost, usdFromMicro } from '../money.ts'
import type { OperatorError, OperatorResult } from '../operator.ts'
import type { PredictedStep } from './dry-run-schema.ts'
import type { EventDraft } from './event.ts'
import type { StepOpening, StepSettlement, StoredArtifact, Transition } from './patch.ts'
import { type Attempt, attemptEnded, decidedRecords, type JudgedFacts, type StepFacts } from './step-records.ts'

/** A step has ended with it. */
export type Settled = Transition & { settle: StepSettlement }

/** What a successful attempt brought, with the ids and digests of what it leaves. */
export interface Brought extends Pick<OperatorResult, 'outputs' | 'events'> {
  plan_hash: string
  outputs_hash: string
  artifacts: StoredArtifact[]
  /** of a read that a dry run did: what was predicted of it */
  predicted?: JsonObject | undefined
}

export function succeeded(of: StepFacts, made: Attempt, brought: Brought): Settled {
  const { step, run } = of
  const { number: attempt, charge } = made
  const { outputs, outputs_hash, artifacts, plan_hash, predicted, events = [] } = brought
  const digests = artifacts.map(({ digest }) => digest)
  const ended = attemptEnded(of, made, { state: 'succeeded', plan_hash, outputs_hash, artifacts: digests })
  const key = `step/${step.id}/${attempt}`
  return {
    settle: { ...ended.settle, outputs, artifacts, ...(predicted && { simulation: predicted }) },
    events: [
      ...ended.events,
      ...artifacts.map(
        ({ name, media_type, size_bytes, digest }): EventDraft => ({
          key: `${key}/artifact/${name}`,
          type: 'artifact.created',
          step: step.id,
          data: { name, media_type, size_bytes, digest },
        }),
      ),
      // without the attempt in their keys: a step says a thing once, however often it is tried
      ...(run.dry_run ? [] : events).map(
        (event, index): EventDraft => ({
          key: `step/${step.id}/published/${index}`,
          type: 'step.published',
          step: step.id,
          data: { ...event },
        }),
      ),
      {
        key: `${key}/completed`,
        type: 'step.completed',
        step: step.id,
        data: {
          attempt,
          cost_usd: usdFromMicro(totalCost(charge.cost)),
          ...(predicted && { dry_run: true, executed: true }),
        },
      },
    ],
    audit: [ended.audit],
  }
}

/** Its `when` is not true. */
export function skipped({ step, key }: StepFacts): Settled {
  const { id, when = null } = step
  return {
    settle: { ...key, state: 'skipped', attempt: 0, outputs: {} },
    events: [{ key: `step/${id}/skipped`, type: 'step.completed', step: id, data: { skipped: true, when } }],
  }
}

/** It waits until a time, which a later execution finds past. */
export function delayed({ key }: StepFacts, until: string): Transition {
  const { step_id } = key
  return {
    settle: { ...key, state: 'ready', attempt: 0, outputs: { until }, message: `waiting until ${until}` },
    let_go: true,
    events: [{ key: `step/${step_id}/waiting`, type: 'run.progress', step: step_id, data: { until } }],
  }
}

export interface Backoff {
  delay_ms: number
  /** when the next attempt is due, where another execution makes it */
  retry_at?: string | undefined
  /** what the target asked for, where that is longer */
  retry_after_ms?: number | undefined
  let_go: boolean
}

/** An attempt failed that is followed by another one. */
export function retried(
  of: StepFacts,
  made: Attempt,
  failed: { error: Pick<OperatorError, 'code' | 'message'>; plan_hash: string; backoff: Backoff },
): Transition {
  const { id } = of.step
  const { code, message } = failed.error
  const { delay_ms, retry_at, retry_after_ms, let_go } = failed.backoff
  const error = {
    code,
    message,
    retryable: true,
    step: id,
    ...(retry_at !== undefined && { retry_at }),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  }
  const ended = attemptEnded(of, made, { state: 'failed', plan_hash: failed.plan_hash })
  return {
    settle: {
      ...ended.settle,
      state: 'ready',
      error,
      ...(retry_at !== undefined && { outputs: { until: retry_at } }),
    },
    let_go,
    events: [
      ...ended.events,
      {
        key: `step/${id}/${made.number}/failed`,
        type: 'step.failed',
        step: id,
        data: { ...error, attempt: made.number, retry_in_ms: delay_ms },
      },
    ],
    audit: [ended.audit],
  }
}

/** The operator was told to stop, because its run is being cancelled. */
export function cancelled(of: StepFacts, made: Attempt, was: { plan_hash: string; is_read: boolean }): Transition {
  const { settle, events, audit } = attemptEnded(of, made, { state: 'cancelled', plan_hash: was.plan_hash })
  const message = was.is_read ? 'stopped' : 'stopped while acting: the effect may have happened'
  return { settle: { ...settle, message }, events, audit: [audit] }
}

/** An attempt is about to act: what it may cost is reserved, and the audit record says what permits it. */
export function opened(
  of: StepFacts,
  judged: JudgedFacts,
  opening: { open: StepOpening; effect: JsonObject },
): Transition {
  const { open, effect } = opening
  const { attempt, plan_hash } = open
  const decided = decidedRecords(of, judged, { attempt, phase: 'act', led_to: 'effect', effect })
  const { id, operator } = of.step
  return {
    open,
    events: [
      decided.event,
      {
        key: `step/${id}/${attempt}/started`,
        type: 'step.started',
        step: id,
        data: { attempt, operator, plan_hash },
      },
    ],
    audit: [decided.audit],
  }
}

/**
 * An attempt that was opened is not sent: its reservation and its number are free again. What calls of models have cost (`spent`)
 * stays charged, and then it counts as an attempt.
 */
export function reopened(
  of: StepFacts,
  { attempt, plan_hash }: Pick<StepOpening, 'attempt' | 'plan_hash'>,
  spent?: Attempt,
): Transition {
  const state = 'ready'
  if (spent === undefined) return { settle: { ...of.key, state, attempt: attempt - 1, unsent: true } }
  const { settle, audit } = attemptEnded(of, spent, { state: 'failed', plan_hash })
  return { settle: { ...settle, state }, audit: [audit] }
}

const WORDS: Readonly<Record<PredictedStep['would'], string>> = {
  act: 'would act',
  read: 'would read',
  wait: 'would wait',
  be_skipped: 'would be skipped',
  be_refused: 'would be refused',
  fail: 'would fail',
  unknown: 'cannot be judged',
}

/** A step of a dry run that is not executed. `record`: what was predicted, as the record keeps it. */
export function predicted(
  of: StepFacts,
  { would, summary }: Pick<PredictedStep, 'would' | 'summary'>,
  record: JsonObject,
  judged?: JudgedFacts,
): Settled {
  const { id } = of.step
  const decided = judged && decidedRecords(of, judged, { attempt: 0, phase: 'predicted', led_to: 'report' })
  return {
    settle: {
      ...of.key,
      state: 'skipped',
      attempt: 0,
      outputs: {},
      simulation: record,
      message: `a dry run: not executed; ${WORDS[would]}: ${summary}`,
    },
    events: [
      ...(decided ? [decided.event] : []),
      {
        key: `step/${id}/predicted`,
        type: 'step.completed',
        step: id,
        data: { dry_run: true, executed: false, would, summary },
      },
    ],
    audit: decided ? [decided.audit] : [],
  }
}

/** A failed read of a dry run. It is not retried; the report contains the failure. */
export function readFailed(
  of: StepFacts,
  made: Attempt,
  failed: { error: Pick<OperatorError, 'code' | 'message' | 'retryable'>; plan_hash: string; record: JsonObject },
): Settled {
  const { id } = of.step
  const { code, message, retryable } = failed.error
  const error = { code, message, retryable, step: id }
  const ended = attemptEnded(of, made, { state: 'failed', plan_hash: failed.plan_hash })
  return {
    settle: { ...ended.settle, error, simulation: failed.record },
    events: [
      ...ended.events,
      {
        key: `step/${id}/${made.number}/failed`,
        type: 'step.failed',
        step: id,
        data: {
          ...error,
          attempt: made.number,
          dry_run: true,
          executed: true,
          cost_usd: usdFromMicro(totalCost(made.charge.cost)),
        },
      },
    ],
    audit: [ended.audit],
  }
}
