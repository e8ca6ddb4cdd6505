import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client'
import { LEDGER_QUEUE } from '#core/contract.ts'
import { REMOTE_JOB_WORKFLOW } from '#core/remote-job/contract.ts'
import { WORKSPACE_ID } from '#core/run/search.ts'

const DEADLINE_MS = 5_000
const PAGE = 1_000
/** After this a worker that polled a queue counts as gone. */
const POLLED_WITHIN_MS = 120_000

/** What starts the workflow of a remote job. */
export interface RemoteJobStart {
  job_id: string
  run_id: string
  workspace_id: string
  summary: string
  /** a workflow that is stuck ends then */
  within_ms: number
}

/** An open activity, as the engine has it; what its worker says is unverified. */
export interface PendingActivity {
  state: 'scheduled' | 'started' | 'cancel_requested' | 'paused' | 'other'
  attempt: number
  scheduled_at: string | null
  started_at: string | null
  heartbeat_at: string | null
  /** bytes of the first value of the last heartbeat */
  heartbeat: Uint8Array | null
  worker: string | null
  last_failure: string | null
}

/** The last attempt of an activity by the engine's history: names are what those who call give of themselves. */
export interface ActivityLife {
  started_by: string | null
  /** null where it timed out or was cancelled */
  ended_by: string | null
  /** how often it was started */
  starts: number
  /** it timed out after an attempt that failed: the engine repeats it only where somebody has told it to */
  repeated: boolean
  /** what its worker returned, as it came; undefined where it did not return */
  returned: { encoding: string; data: Uint8Array } | undefined
}

/** The workflows of remote jobs, and the queues that they schedule on. */
export function createRemoteJobWorkflows(client: Client) {
  const inTime = <Result>(call: () => Promise<Result>) => client.withDeadline(Date.now() + DEADLINE_MS, call)
  const describe = (jobId: string) => inTime(() => client.workflow.getHandle(jobId).describe())

  return {
    /** A repeat is harmless: one workflow per job, ever. */
    async start({ job_id, run_id, workspace_id, summary, within_ms }: RemoteJobStart): Promise<void> {
      try {
        await inTime(() =>
          client.workflow.start(REMOTE_JOB_WORKFLOW, {
            taskQueue: LEDGER_QUEUE,
            workflowId: job_id,
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            workflowIdConflictPolicy: 'FAIL',
            workflowExecutionTimeout: within_ms,
            args: [{ job_id }],
            priority: { fairnessKey: workspace_id },
            typedSearchAttributes: [{ key: WORKSPACE_ID, value: workspace_id }],
            memo: { workspace: workspace_id, run: run_id },
            staticSummary: summary,
          }),
        )
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
      }
    },

    /** Asks the workflow of a job to cancel its activity; false where there is none that is open. */
    async cancel(jobId: string): Promise<boolean> {
      try {
        await inTime(() => client.workflow.getHandle(jobId).cancel())
        return true
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false
        throw error
      }
    },

    /** Ids of jobs with an open workflow, page by page on demand. One that has just started may be missing, one that has just ended be there. */
    async *open(): AsyncGenerator<string> {
      const query = `WorkflowType = '${REMOTE_JOB_WORKFLOW}' AND TaskQueue = '${LEDGER_QUEUE}' AND ExecutionStatus = 'Running'`
      for await (const { workflowId } of client.workflow.list({ query, pageSize: PAGE })) yield workflowId
    },

    async alive(jobId: string): Promise<boolean> {
      try {
        const { status, type, taskQueue } = await describe(jobId)
        return status.name === 'RUNNING' && type === REMOTE_JOB_WORKFLOW && taskQueue === LEDGER_QUEUE
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false
        throw error
      }
    },

    /** Returns who started and who ended the activity of a job, and what it returned. Throws where the engine does not answer. */
    async lifeOf(jobId: string, execution: string, activityId: string): Promise<ActivityLife> {
      const { events } = await inTime(() => client.workflow.getHandle(jobId, execution).fetchHistory())
      const scheduled = events?.find((event) => event.activityTaskScheduledEventAttributes?.activityId === activityId)
      const own = <Of extends { scheduledEventId?: unknown }>(of: Of | null | undefined) =>
        of && String(of.scheduledEventId) === String(scheduled?.eventId) ? of : undefined
      const last = <Found>(of: (event: NonNullable<typeof events>[number]) => Found | undefined) =>
        events?.map(of).findLast(Boolean)
      const started = last((event) => own(event.activityTaskStartedEventAttributes))
      const completed = last((event) => own(event.activityTaskCompletedEventAttributes))
      const failed = last((event) => own(event.activityTaskFailedEventAttributes))
      const [payload] = completed?.result?.payloads ?? []
      return {
        started_by: started?.identity || null,
        ended_by: (completed ?? failed)?.identity || null,
        starts: started?.attempt ?? 0,
        repeated: Boolean(last((event) => own(event.activityTaskTimedOutEventAttributes))?.failure?.cause),
        returned: completed && {
          encoding: new TextDecoder().decode(payload?.metadata?.['encoding'] ?? undefined),
          data: payload?.data ?? new Uint8Array(),
        },
      }
    },

    /** Returns the activity of an open job; undefined where the engine has none. Throws where the engine does not answer. */
    async pending(jobId: string): Promise<PendingActivity | undefined> {
      try {
        const [activity] = (await describe(jobId)).raw.pendingActivities ?? []
        if (!activity) return undefined
        const { scheduledTime, lastStartedTime, lastHeartbeatTime, heartbeatDetails, lastWorkerIdentity } = activity
        return {
          state: STATES[activity.state ?? 0] ?? 'other',
          attempt: activity.attempt ?? 1,
          scheduled_at: timeOf(scheduledTime),
          started_at: timeOf(lastStartedTime),
          heartbeat_at: heartbeatDetails ? timeOf(lastHeartbeatTime) : null,
          heartbeat: heartbeatDetails?.payloads?.[0]?.data ?? null,
          worker: lastWorkerIdentity || null,
          last_failure: activity.lastFailure?.message || null,
        }
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return undefined
        throw error
      }
    },

    /** Returns the workers that poll a task queue for activities, as they call themselves. */
    async pollers(taskQueue: string): Promise<string[]> {
      const { pollers } = await inTime(() =>
        client.workflowService.describeTaskQueue({
          namespace: client.options.namespace,
          taskQueue: { name: taskQueue },
          taskQueueType: ACTIVITY_QUEUE,
        }),
      )
      const recent = (pollers ?? []).filter(
        ({ lastAccessTime }) => Date.now() - Date.parse(timeOf(lastAccessTime) ?? '') < POLLED_WITHIN_MS,
      )
      return [...new Set(recent.map(({ identity }) => identity ?? ''))].sort()
    },
  }
}

export type RemoteJobWorkflows = ReturnType<typeof createRemoteJobWorkflows>

/** `TASK_QUEUE_TYPE_ACTIVITY` and the states of a pending activity, by their numbers in the protocol. */
const ACTIVITY_QUEUE = 2
const STATES: Readonly<Record<number, PendingActivity['state']>> = {
  1: 'scheduled',
  2: 'started',
  3: 'cancel_requested',
  4: 'paused',
  5: 'paused',
}

function timeOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): string | null {
  if (!time?.seconds) return null
  return new Date(Number(time.seconds) * 1_000 + Math.floor((time.nanos ?? 0) / 1e6)).toISOString()
}
