import { chargeOf, costOf } from '#core/budget/charge.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { Cost } from '#core/money.ts'
import { OperatorError } from '#core/operator.ts'
import type { PlanStep } from '#core/plan/types.ts'
import type { RemoteJobOpening, StepOpening } from '#core/run/patch.ts'
import { reopened } from '#core/run/step-transitions.ts'
import type { RemoteJobRow } from '#store/runs/remote-jobs.ts'
import { commitOrStop } from '../run/commit.ts'
import { type Stored, settleAttempt } from './settle.ts'
import type { Conclusion, JudgedWork, Settlement, StepWork } from './work.ts'

/** How long a run waits for an activity beyond its timeouts. */
const GRACE_MS = 60_000
/** Until the workflow of a job that is stuck ends, after its run has stopped to wait for it. */
const STUCK_MS = 60_000

/** What an attempt puts on record before an external worker gets it; undefined where our own does it. */
export function openRemoteJob(
  { deps, session, step, judged }: JudgedWork,
  { attempt, plan_hash }: Pick<StepOpening, 'attempt' | 'plan_hash'>,
): RemoteJobOpening | undefined {
  const { operator, input, resolved, idempotency_key } = judged
  const { queue } = resolved
  const remote = operator.remoteActivity?.(input)
  if (remote === undefined || queue === undefined) return undefined
  const input_digest = `sha256:${deps.sha256(canonicalText(remote.input))}`
  const { id: run_id } = session.head
  const { attest = null } = queue
  const context = { run_id, step_id: step.id, attempt, plan_hash, input_digest, idempotency_key }
  // text, so that what its worker signs for is what it has read
  const signed = [canonicalText(remote.input), { ...context, attest: true }]
  const { schedule_to_start_ms, idempotent, result_schema } = remote
  return {
    id: deps.ids.next('remote_job'),
    queue: queue.name,
    input_digest,
    attest,
    idempotent,
    result_schema,
    spec: {
      task_queue: queue.task_queue,
      activity: remote.activity,
      activity_id: `${run_id}:${step.id}:${attempt}`,
      args: attest === null ? [remote.input, ...(remote.context ? [context] : [])] : signed,
      schedule_to_start_ms,
      start_to_close_ms: step.timeout_ms,
      heartbeat_ms: remote.heartbeat_ms ?? null,
    },
    deadline_ms: schedule_to_start_ms + step.timeout_ms + GRACE_MS,
  }
}

/** Dispatches the attempt. The run waits for it without an execution, and is woken when it has ended. */
export async function dispatchJob(
  { deps, session, step }: JudgedWork,
  { id, queue, spec, deadline_ms }: RemoteJobOpening,
): Promise<Conclusion> {
  const { id: run_id, workspace_id } = session.head
  const summary = `${spec.activity} on ${queue}, step ${step.id} of ${run_id}`
  await deps.remote.start({ job_id: id, run_id, workspace_id, summary, within_ms: deadline_ms + STUCK_MS })
  return waitFor(step, deadline_ms)
}

function waitFor({ id }: PlanStep, delay_ms: number): Conclusion {
  return { kind: 'end', end: { kind: 'delayed', delay_ms, reason: `the remote job of step ${id}` } }
}

/**
 * What becomes of a step whose attempt was dispatched before this execution: undefined where there is none, or where it was not and was
 * taken back. What it did is settled as it is, and not judged again.
 */
export async function followRemoteJob(work: StepWork): Promise<Settlement | undefined> {
  const { deps, session, step, of, record } = work
  if (record?.state !== 'running' || deps.operators.get(step.operator)?.remoteActivity === undefined) return undefined
  const { attempt } = record
  const job = await deps.remote_jobs.ofAttempt(session.head.id, step.id, attempt)
  if (job === undefined) return undefined
  if (job.state === 'created') {
    const stopped = await commitOrStop(deps, session, reopened(of, { attempt, plan_hash: job.plan_hash }))
    return stopped && { kind: 'end', end: stopped }
  }
  if (job.state === 'running' && job.remaining_ms > 0) return waitFor(step, job.remaining_ms)
  const { cost, ...end } = endOf(job)
  const made = { number: attempt, charge: chargeOf(costOf(job.reserved), cost) }
  const judged = { plan_hash: job.plan_hash, is_read: false }
  return await settleAttempt({ ...work, judged }, made, end)
}

function endOf({ id, state, idempotent, result, failure }: RemoteJobRow): Stored & { cost?: Partial<Cost> } {
  if (state === 'returned') return { kind: 'done', result: { outputs: { result, job_id: id } }, artifacts: [] }
  const { code, message, type } = failure ?? { code: 'timeout' as const, message: 'nothing was heard of it in time' }
  const details = { job_id: id, ...(type !== undefined && { type }) }
  const failed = (facts: { retryable: boolean; unknown_outcome?: boolean }) => ({
    kind: 'failed' as const,
    error: new OperatorError(code, message, { ...facts, details }),
  })
  if (code === 'queue_unattended') return { ...failed({ retryable: true }), cost: {} }
  if (state === 'failed') return failed({ retryable: false })
  // it may have acted, or still be at it
  return failed({ retryable: idempotent, unknown_outcome: !idempotent })
}

/** A job as the record of its opening has it. */
export function recordedJob({ id, queue, input_digest, attest, spec }: RemoteJobOpening): JsonObject {
  return { id, queue, task_queue: spec.task_queue, activity: spec.activity, input_digest, attest }
}
