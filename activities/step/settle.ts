import { createHash } from 'node:crypto'
import type { AdvanceOutcome } from '#core/contract.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { ArtifactDraft, OperatorError, OperatorResult } from '#core/operator.ts'
import { type Attempt, FREE } from '#core/run/step-records.ts'
import { type Backoff, cancelled, delayed, readFailed, retried, succeeded } from '#core/run/step-transitions.ts'
import { isoTime } from '#core/time/time.ts'
import type { StepDeps } from '../deps.ts'
import { commit, keep, stoppedBy } from '../run/commit.ts'
import { predictionRecord } from './predicted-steps.ts'
import { factsOf, type JudgedWork, type StepEnd } from './work.ts'

/** Backoffs up to this long are waited out inside the execution; longer ones give the lane slot back. */
const SHORT_BACKOFF_MS = 1_000

/** Keeps the settlement of a finished step, to be written with the run's next transition. */
export async function settleSucceeded(work: JudgedWork, made: Attempt, result: OperatorResult): Promise<StepEnd> {
  const { deps, session, judged, predicted } = work
  const { outputs, events } = result
  const transition = succeeded(factsOf(work), made, {
    ...{ outputs, ...(events && { events }), plan_hash: judged.plan_hash },
    outputs_hash: `sha256:${deps.sha256(canonicalText(outputs))}`,
    artifacts: (result.artifacts ?? []).map((artifact) => storedArtifact(deps, artifact)),
    predicted: predicted && predictionRecord({ ...predicted, executed: true }),
  })
  return await keep(deps, session, transition)
}

/** Keeps the settlement of a read that a dry run tried and that failed. */
export async function settleFailedRead(work: JudgedWork, made: Attempt, error: OperatorError): Promise<StepEnd> {
  const { deps, session, judged, predicted } = work
  if (predicted === undefined) throw new Error(`step ${work.step.id} is no step of a dry run`)
  const { code, message } = error
  const record = predictionRecord({ ...predicted, would: 'fail', executed: true, error: { code, message } })
  const { plan_hash } = judged
  return await keep(deps, session, readFailed(factsOf(work), made, { error, plan_hash, record }))
}

/** What is left of the delay that the record notes for a step; an execution that comes early waits on. */
export function pendingDelay({ deps, session, step }: Pick<JudgedWork, 'deps' | 'session' | 'step'>) {
  const begun = session.steps.get(step.id)
  const until = begun?.state === 'ready' ? begun.outputs?.['until'] : undefined
  const delay_ms = typeof until === 'string' ? Date.parse(until) - deps.clock() : 0
  return delay_ms > 0 ? { kind: 'delayed' as const, delay_ms, reason: `step ${step.id}` } : undefined
}

/** A durable delay: the first pass notes when it is due, a later one finds it due. */
export async function settleDelay(work: JudgedWork, delay_ms: number): Promise<StepEnd> {
  const { deps, session, step } = work
  if (typeof session.steps.get(step.id)?.outputs?.['until'] === 'string')
    return await settleSucceeded(work, { number: 1, charge: FREE }, { outputs: { waited_ms: delay_ms } })
  const recorded = await commit(deps, session, delayed(factsOf(work), isoTime(deps.clock() + delay_ms)))
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'delayed', delay_ms, reason: `step ${step.id}` }
}

/** Records a failed attempt that will be repeated. Answers a delay for long backoffs, undefined after a short one. */
export async function settleRetry(
  work: JudgedWork,
  made: Attempt,
  error: OperatorError,
): Promise<AdvanceOutcome | undefined> {
  const { deps, session, step, judged } = work
  const backoff = backoffOf(work, made.number, error)
  const { plan_hash } = judged
  const recorded = await commit(deps, session, retried(factsOf(work), made, { error, plan_hash, backoff }))
  if ('refused' in recorded) return stoppedBy(recorded)
  const { delay_ms, let_go } = backoff
  if (let_go) return { kind: 'delayed', delay_ms: Math.max(1, delay_ms), reason: `retry of ${step.id}` }
  await abortableDelay(delay_ms, session.signal)
  return session.signal.aborted ? { kind: 'stopped' } : undefined
}

function backoffOf({ deps, session, step }: JudgedWork, attempt: number, error: OperatorError): Backoff {
  const { initial_ms, backoff, max_ms } = step.retry
  const planned_ms = Math.min(max_ms, Math.round(initial_ms * backoff ** (attempt - 1)))
  // a target that says when to come back is not asked before, as far as the step has the time
  const { retry_after_ms = 0 } = error
  const delay_ms = Math.max(planned_ms, Math.min(retry_after_ms, step.timeout_ms))
  const isLong = delay_ms > SHORT_BACKOFF_MS
  return {
    delay_ms,
    retry_at: isLong ? isoTime(deps.clock() + delay_ms) : undefined,
    retry_after_ms: retry_after_ms > delay_ms ? retry_after_ms : undefined,
    let_go: isLong || session.local,
  }
}

/**
 * The operator was told to stop. Only a run that is being cancelled on record ends its step with it: anybody with access to Temporal
 * can stop an attempt, and workers go away; then the step stays begun for the next attempt, which knows that it may have acted.
 */
export async function settleCancelled(work: JudgedWork, made: Attempt, reason: unknown): Promise<AdvanceOutcome> {
  const { deps, session, judged } = work
  if (reason instanceof Error && reason.message.includes('WORKER_SHUTDOWN')) throw reason
  if ((await deps.decisions.runState(session.head.id))?.status !== 'cancelling') throw reason
  const recorded = await commit(deps, session, cancelled(factsOf(work), made, judged))
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'stopped' }
}

function storedArtifact(deps: StepDeps, draft: ArtifactDraft) {
  const body = Buffer.from(draft.body)
  return {
    id: deps.ids.next('artifact'),
    name: draft.name,
    media_type: draft.media_type,
    size_bytes: body.byteLength,
    digest: `sha256:${createHash('sha256').update(body).digest('hex')}`,
    body_base64: body.toString('base64'),
  }
}

function abortableDelay(ms: number, signal: AbortSignal): Promise<void> {
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
