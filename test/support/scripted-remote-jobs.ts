import { ApplicationFailure } from '@temporalio/common'
import { type NativeConnection, Worker } from '@temporalio/worker'
import type { RemoteEnd, RemoteJobActivities, RemoteJobSpec } from '#core/remote-job/contract.ts'

/** What the record has of a job; `ended`: that it has ended. */
export type RemoteScript = 'ended' | { activity: 'returns' | 'throws' | 'nobody' }

const OWN_QUEUE = 'own-worker'

/** The activities of remote jobs without a database, and an external worker. */
export function createScriptedRemoteJobs() {
  const scripts = new Map<string, RemoteScript>()
  const ends = new Map<string, RemoteEnd>()
  const activities: RemoteJobActivities = {
    async startRemoteJob({ job_id }) {
      const script = scripts.get(job_id) ?? 'ended'
      return script === 'ended'
        ? { kind: 'ended' }
        : { kind: 'schedule', run_id: `run_of_${job_id}`, spec: specOf(script) }
    },
    async recordRemoteJob({ job_id, end }) {
      ends.set(job_id, end)
      return { recorded: true }
    },
  }
  return {
    activities,
    script: (jobId: string, script: RemoteScript) => void scripts.set(jobId, script),
    endOf: (jobId: string) => ends.get(jobId),
    startWorker: (connection: NativeConnection, namespace: string) =>
      Worker.create({
        ...{ connection, namespace, taskQueue: OWN_QUEUE },
        activities: {
          returns: async () => ({ n: 1 }),
          throws: async () => {
            throw ApplicationFailure.nonRetryable('no device is free', 'NoDevice')
          },
        },
      }),
  }
}

function specOf({ activity }: Exclude<RemoteScript, 'ended'>): RemoteJobSpec {
  return {
    ...{ task_queue: activity === 'nobody' ? 'nobody-listens' : OWN_QUEUE, activity, activity_id: 'one', args: [null] },
    ...{ schedule_to_start_ms: activity === 'nobody' ? 100 : 60_000, start_to_close_ms: 60_000 },
    heartbeat_ms: 30_000,
  }
}
