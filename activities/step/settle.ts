import { canonicalText } from '#core/json/canonical.ts'
import { OperatorError, type OperatorResult } from '#core/operator.ts'
import { predictionRecord } from '#core/run/dry-run-report.ts'
import type { PredictedStep } from '#core/run/dry-run-schema.ts'
import type { UnknownOutcome } from '#core/run/gate-transition.ts'
import type { StoredArtifact } from '#core/run/patch.ts'
import { type Attempt, FREE } from '#core/run/step-records.ts'
import { type Backoff, cancelled, delayed, readFailed, retried, succeeded } from '#core/run/step-transitions.ts'
import { isoTime } from '#core/time/time.ts'
import type { StepRecord } from '#store/runs/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import type { OperatorEnd } from './run-operator.ts'
import { storeArtifacts } from './store-artifacts.ts'
import type { Decision, JudgedStep, JudgedWork, Settlement, StepWork } from './work.ts'

/** Backoffs up to this long are waited out inside the execution; longer ones give the lane slot back. */
const SHORT_BACKOFF_MS = 1_000

type Ended = Exclude<OperatorEnd, { kind: 'not_sent' }>
/** With what it leaves behind in its place. */
export type Stored =
  | { kind: 'done'; result: OperatorResult; artifacts: StoredArtifact[] }
  | { kind: 'failed'; error: OperatorError }
  | { kind: 'aborted'; reason: unknown }

/** What becomes of a step by how the operator ended. */
export async function settleAttempt(
  work: StepWork & { judged: Pick<JudgedStep, 'plan_hash' | 'is_read'> },
  made: Attempt,
  end: Stored,
  predicted?: PredictedStep,
): Promise<Settlement> {
  const { deps, session, step, judged, of } = work
  const { plan_hash } = judged
  if (end.kind === 'done') {
    const record = predicted && predictionRecord({ ...predicted, executed: true })
    const { result, artifacts } = end
    const settled = succeeded(of, made, { ...brought(deps, result), artifacts, plan_hash, predicted: record })
    return { kind: 'settle', settled }
  }
  if (end.kind === 'aborted') {
    // only a run that is being cancelled on record ends its step with it: anybody with access to Temporal can stop an attempt, and workers
    // go away; then the step stays begun for the next attempt, which knows that it may have acted.
    if (end.reason instanceof Error && end.reason.message.includes('WORKER_SHUTDOWN')) throw end.reason
    if ((await deps.decisions.runState(session.head.id))?.status !== 'cancelling') throw end.reason
    return { kind: 'write', transition: cancelled(of, made, judged), end: { kind: 'stopped' } }
  }
  const { error } = end
  const { code, message, retryable, details } = error
  if (predicted !== undefined) {
    const record = predictionRecord({ ...predicted, would: 'fail', executed: true, error: { code, message } })
    return { kind: 'settle', settled: readFailed(of, made, { error, plan_hash, record }) }
  }
  if (error.unknown_outcome) return unknownOutcome(deps, { attempt: made.number, message, made })
  if (!retryable || made.number >= step.retry.max_attempts)
    return { kind: 'fail', failure: { code, message, retryable, ...(details && { details }) }, made }
  const { initial_ms, backoff, max_ms } = step.retry
  const planned_ms = Math.min(max_ms, Math.round(initial_ms * backoff ** (made.number - 1)))
  // a target that says when to come back is not asked before, as far as the step has the time
  const { retry_after_ms = 0 } = error
  const delay_ms = Math.max(planned_ms, Math.min(retry_after_ms, step.timeout_ms))
  const isLong = delay_ms > SHORT_BACKOFF_MS
  const let_go = isLong || session.local
  const pause: Backoff = {
    delay_ms,
    let_go,
    retry_at: isLong ? isoTime(deps.clock() + delay_ms) : undefined,
    retry_after_ms: retry_after_ms > delay_ms ? retry_after_ms : undefined,
  }
  const transition = retried(of, made, { error, plan_hash, backoff: pause })
  if (!let_go) return { kind: 'retry', transition, delay_ms }
  const reason = `retry of ${step.id}`
  return { kind: 'write', transition, end: { kind: 'delayed', delay_ms: Math.max(1, delay_ms), reason } }
}

/** Asks whether an attempt that may have acted is made once more, and says what broke and what to look at. */
export function unknownOutcome({ clock }: Pick<StepDeps, 'clock'>, unknown: UnknownOutcome): Settlement {
  const kind = 'outcome_unknown'
  const words = `attempt ${unknown.attempt}, at ${isoTime(clock())}, had begun, so it may have taken effect, or still run: look at the target first; approving it runs it again. It ended with: ${unknown.message}`
  return { kind: 'ask', cause: { kind, because: [kind], words, unknown } }
}

/** What is left of the delay that the record notes for a step; an execution that comes early waits on. */
export function pendingDelay(record: StepRecord | undefined, now: number): number {
  const until = record?.state === 'ready' ? record.outputs?.['until'] : undefined
  return typeof until === 'string' ? Date.parse(until) - now : 0
}

/** A durable delay: the first pass notes when it is due, a later one finds it due. */
export function settleDelay({ deps, step, judged, of, record }: JudgedWork, delay_ms: number): Decision {
  if (typeof record?.outputs?.['until'] === 'string') {
    const { plan_hash } = judged
    const result = { ...brought(deps, { outputs: { waited_ms: delay_ms } }), artifacts: [], plan_hash }
    return { kind: 'settle', settled: succeeded(of, { number: 1, charge: FREE }, result) }
  }
  const end = { kind: 'delayed' as const, delay_ms, reason: `step ${step.id}` }
  return { kind: 'write', transition: delayed(of, isoTime(deps.clock() + delay_ms)), end }
}

/** An attempt whose artifacts cannot be stored has failed, or was stopped meanwhile. */
export async function withArtifacts(work: JudgedWork, end: Ended): Promise<Stored> {
  if (end.kind !== 'done') return end
  try {
    return { ...end, artifacts: await storeArtifacts(work, end.result.artifacts ?? []) }
  } catch (error) {
    const { signal } = work.session
    if (signal.aborted) return { kind: 'aborted', reason: signal.reason }
    if (error instanceof OperatorError) return { kind: 'failed', error }
    throw error
  }
}

function brought(deps: StepDeps, { outputs, events }: OperatorResult) {
  return {
    outputs,
    ...(events && { events }),
    outputs_hash: `sha256:${deps.sha256(canonicalText(outputs))}`,
  }
}

export function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
