import { createHash } from 'node:crypto'
import { canonicalText } from '#core/canonical-text.ts'
import type { LegOutcome } from '#core/contract.ts'
import { totalCost, usdFromMicro } from '#core/money.ts'
import type { ArtifactDraft, OperatorError, OperatorResult } from '#core/operator.ts'
import type { EventDraft } from '#core/run/event.ts'
import { isoTime } from '#core/time.ts'
import type { StepRecord } from '#store/run-answers.ts'
import type { StepDeps } from '../deps.ts'
import { flush, stoppedBy, writePatch } from '../run/run-session.ts'
import { foretoldRecord } from './predicted-steps.ts'
import { type Attempt, attemptRecord, FREE, lineageRecord, settledCharge } from './records.ts'
import { logEvents } from './step-log.ts'
import { type JudgedWork, type StepEnd, type StepWork, stepKey } from './work.ts'

/** Backoffs up to this long are waited out inside the leg; longer ones give the lane slot back. */
const SHORT_BACKOFF_MS = 1_000

/** Takes the settlement of a finished step along, to be written with the run's next transition. */
export function settleSucceeded(
  work: JudgedWork,
  { number: attempt, charge, log }: Attempt,
  result: OperatorResult,
): StepEnd {
  const { deps, session, step } = work
  const simulation = work.foretold && foretoldRecord({ ...work.foretold, executed: true })
  const artifacts = (result.artifacts ?? []).map((artifact) => storedArtifact(deps, artifact))
  const key = `step/${step.id}/${attempt}`
  const events: EventDraft[] = [
    ...logEvents(step.id, attempt, log),
    ...artifacts.map(({ name, media_type, size_bytes, digest }) => ({
      key: `${key}/artifact/${name}`,
      type: 'artifact.created' as const,
      step: step.id,
      data: { name, media_type, size_bytes, digest },
    })),
    ...publishedBy(work, result),
    {
      key: `${key}/completed`,
      type: 'step.completed',
      step: step.id,
      data: {
        attempt,
        cost_usd: usdFromMicro(totalCost(charge.cost)),
        ...(simulation && { dry_run: true, executed: true }),
      },
    },
  ]
  session.pending = {
    settle: {
      ...stepKey(work),
      state: 'succeeded',
      attempt,
      outputs: result.outputs,
      ...settledCharge(charge),
      ...(simulation && { simulation }),
      artifacts,
    },
    events,
    audit: [
      lineageRecord(work, {
        attempt,
        state: 'succeeded',
        outputs_hash: `sha256:${deps.sha256(canonicalText(result.outputs))}`,
        cost_micro_usd: totalCost(charge.cost),
        artifacts: artifacts.map((artifact) => artifact.digest),
      }),
    ],
  }
  remember(work, {
    state: 'succeeded',
    attempt,
    outputs: result.outputs,
    ended_at: isoTime(deps.clock()),
    ...(simulation && { simulation }),
  })
  return { kind: 'settled' }
}

export async function settleSkipped(work: StepWork): Promise<StepEnd> {
  const { deps, session, step } = work
  const refused = await flush(deps, session)
  if (refused !== undefined) return stoppedBy(refused)
  session.pending = {
    settle: { ...stepKey(work), state: 'skipped', attempt: 0, outputs: {} },
    events: [
      {
        key: `step/${step.id}/skipped`,
        type: 'step.completed',
        step: step.id,
        data: { skipped: true, when: step.when ?? null },
      },
    ],
    audit: [],
  }
  remember(work, { state: 'skipped', attempt: 0, outputs: {} })
  return { kind: 'settled' }
}

/** What is left of the delay that the record notes for a step; a leg that comes early waits on. */
export function pendingDelay(deps: StepDeps, begun: StepRecord | undefined): LegOutcome | undefined {
  const until = begun?.state === 'ready' ? begun.outputs?.['until'] : undefined
  const delay_ms = typeof until === 'string' ? Date.parse(until) - deps.clock() : 0
  return begun && delay_ms > 0 ? { kind: 'delayed', delay_ms, reason: `step ${begun.step_id}` } : undefined
}

/** A durable delay: the first pass notes when it is due, a later one finds it due. */
export async function settleDelay(work: JudgedWork, delayMs: number): Promise<StepEnd> {
  const { deps, session, step } = work
  const noted = session.steps.get(step.id)?.outputs?.['until']
  const now = deps.clock()
  if (typeof noted === 'string') {
    const waited = { outputs: { waited_ms: delayMs } }
    return settleSucceeded(work, { number: 1, charge: FREE }, waited)
  }
  const until = isoTime(now + delayMs)
  const recorded = await writePatch(deps, session, {
    settle: {
      ...stepKey(work),
      state: 'ready',
      attempt: 0,
      outputs: { until },
      message: `waiting until ${until}`,
    },
    let_go: true,
    events: [{ key: `step/${step.id}/waiting`, type: 'run.progress', step: step.id, data: { until } }],
  })
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'delayed', delay_ms: delayMs, reason: `step ${step.id}` }
}

/** Records a failed attempt that will be repeated. Answers a delay for long backoffs, undefined after a short one. */
export async function settleRetry(
  work: JudgedWork,
  made: Attempt,
  error: OperatorError,
): Promise<LegOutcome | undefined> {
  const { deps, session, step } = work
  const attempt = made.number
  const { initial_ms, backoff, max_ms } = step.retry
  const planned_ms = Math.min(max_ms, Math.round(initial_ms * backoff ** (attempt - 1)))
  // a target that says when to come back is not asked before, as far as the step has the time
  const { retry_after_ms = 0 } = error
  const delay_ms = Math.max(planned_ms, Math.min(retry_after_ms, step.timeout_ms))
  const isLong = delay_ms > SHORT_BACKOFF_MS
  const until = isoTime(deps.clock() + delay_ms)
  const failure = {
    code: error.code,
    message: error.message,
    retryable: true,
    step: step.id,
    ...(isLong && { retry_at: until }),
    ...(retry_after_ms > delay_ms && { retry_after_ms }),
  }
  const recorded = await writePatch(deps, session, {
    settle: {
      ...stepKey(work),
      state: 'ready',
      attempt,
      error: failure,
      ...(isLong && { outputs: { until } }),
      ...settledCharge(made.charge),
    },
    let_go: isLong || session.near,
    events: [
      ...logEvents(step.id, attempt, made.log),
      {
        key: `step/${step.id}/${attempt}/failed`,
        type: 'step.failed',
        step: step.id,
        data: { ...failure, attempt, retry_in_ms: delay_ms },
      },
    ],
    audit: [attemptRecord(work, made, 'failed')],
  })
  if ('refused' in recorded) return stoppedBy(recorded)
  remember(work, { state: 'ready', attempt, error: failure })
  if (isLong || session.near) return { kind: 'delayed', delay_ms: Math.max(1, delay_ms), reason: `retry of ${step.id}` }
  await abortableDelay(delay_ms, session.signal)
  return session.signal.aborted ? { kind: 'stopped' } : undefined
}

/**
 * The operator was told to stop. Only a run that is being cancelled on record ends its step with it: whoever reaches the engine
 * can stop an attempt, and workers go away, and then the step stays begun for the next attempt, which knows that it may have acted.
 */
export async function settleCancelled(work: JudgedWork, made: Attempt, reason: unknown): Promise<LegOutcome> {
  const { deps, session, judged } = work
  if (reason instanceof Error && reason.message.includes('WORKER_SHUTDOWN')) throw reason
  if ((await deps.decisions.runState(session.head.id))?.status !== 'cancelling') throw reason
  const read = judged.is_read
  const recorded = await writePatch(deps, session, {
    settle: {
      ...stepKey(work),
      state: 'cancelled',
      attempt: made.number,
      message: read ? 'stopped' : 'stopped while acting: the effect may have happened',
      ...settledCharge(made.charge),
    },
    events: logEvents(work.step.id, made.number, made.log),
    audit: [attemptRecord(work, made, 'cancelled')],
  })
  return 'refused' in recorded ? stoppedBy(recorded) : { kind: 'stopped' }
}

/** As the step would be read from the record once this is written. */
export function remember(
  { session, step }: StepWork,
  now: Pick<StepRecord, 'state' | 'attempt'> &
    Partial<Pick<StepRecord, 'outputs' | 'error' | 'ended_at' | 'simulation'>>,
): void {
  const known = session.steps.get(step.id)
  session.steps.set(step.id, {
    step_id: step.id,
    outputs: null,
    error: null,
    plan_hash: known?.plan_hash ?? null,
    simulation: known?.simulation ?? null,
    ended_at: null,
    ...now,
  })
}

/** Without the attempt in their keys: a step says a thing once, however often it is tried. */
function publishedBy({ session, step }: JudgedWork, { events = [] }: OperatorResult): EventDraft[] {
  if (session.head.dry_run) return []
  return events.map((event, index) => ({
    key: `step/${step.id}/published/${index}`,
    type: 'step.published',
    step: step.id,
    data: { ...event },
  }))
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
