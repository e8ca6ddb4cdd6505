import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  getExternalWorkflowHandle,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow'
import { FAILURE_TEXT_LENGTH, WAKE_RUN } from '#core/contract.ts'
import type { Json } from '#core/json/json.ts'
import type { RemoteEnd, RemoteJobClaim, RemoteJobSpec } from '#core/remote-job/contract.ts'
import { isRefusedClaim, recordRemoteJob, startRemoteJob } from './ledger.ts'

/** Has an external worker do one attempt of a step, as the record says, and records how it ended. */
export async function remoteJobV1({ job_id }: RemoteJobClaim): Promise<void> {
  const started = await CancellationScope.nonCancellable(() => startRemoteJob({ job_id }))
  if (started.kind === 'ended') return
  const end = await endOf(started.spec)
  await CancellationScope.nonCancellable(async () => {
    await recordRemoteJob({ job_id, end }).catch((error: unknown) => {
      // it has ended otherwise on record
      if (!isRefusedClaim(error)) throw error
    })
    // a run that is gone waits for nothing
    await getExternalWorkflowHandle(started.run_id)
      .signal(WAKE_RUN)
      .catch(() => undefined)
  })
}

async function endOf(spec: RemoteJobSpec): Promise<RemoteEnd> {
  const { task_queue, activity, activity_id, args } = spec
  const { [activity]: act } = proxyActivities<Record<string, (...args: Json[]) => Promise<Json | undefined>>>({
    taskQueue: task_queue,
    activityId: activity_id,
    scheduleToStartTimeout: spec.schedule_to_start_ms,
    startToCloseTimeout: spec.start_to_close_ms,
    ...(spec.heartbeat_ms !== null && { heartbeatTimeout: spec.heartbeat_ms }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    // each attempt is judged, reserved and on record by itself
    retry: { maximumAttempts: 1 },
  })
  try {
    await act?.(...args)
    return { kind: 'returned' }
  } catch (error) {
    const cause = error instanceof ActivityFailure ? error.cause : error
    const { message = '' } = cause instanceof Error ? cause : {}
    const type = cause instanceof ApplicationFailure ? (cause.type ?? '') : ''
    return { kind: 'failed', why: whyOf(cause), type: short(type), message: short(message) }
  }
}

const short = (text: string) => text.slice(0, FAILURE_TEXT_LENGTH)

function whyOf(cause: unknown): Extract<RemoteEnd, { kind: 'failed' }>['why'] {
  if (cause instanceof ApplicationFailure) return 'application'
  if (cause instanceof CancelledFailure) return 'cancelled'
  if (!(cause instanceof TimeoutFailure)) return 'other'
  if (cause.timeoutType === 'SCHEDULE_TO_START') return 'unattended'
  return cause.timeoutType === 'HEARTBEAT' ? 'heartbeat' : 'timeout'
}
