import type { Log } from '#core/log.ts'
import type { RemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import type { RunWorkflows } from '#platform/temporal/run-workflows.ts'
import { endLostJob, type RemoteJobDeps } from '#services/remote-jobs/record-remote-job.ts'
import type { OpenJob, RemoteJobs } from '#store/runs/remote-jobs.ts'

const BATCH = 100
/** A workflow that has ended has recorded it within this time. */
const RECORDED_WITHIN_MS = 10_000
const MAX_OPEN = 20_000

export interface RemoteJobSweepDeps extends Omit<RemoteJobDeps, 'remote_jobs' | 'lifeOf' | 'verifyAttestation'> {
  remote_jobs: RemoteJobDeps['remote_jobs'] & Pick<RemoteJobs, 'abandoned' | 'open' | 'noteCancel'>
  remote: Pick<RemoteJobWorkflows, 'cancel' | 'open' | 'alive'>
  wake: RunWorkflows['wake']
  log: Pick<Log, 'warn'>
}

/** Passes the end of runs on to the workers that are still at their jobs, and ends jobs whose workflow is gone. */
export function createRemoteJobSweep(deps: RemoteJobSweepDeps): (all: boolean) => Promise<void> {
  const { remote_jobs, remote, wake, log } = deps

  async function cancel({ id }: OpenJob): Promise<void> {
    if (await remote.cancel(id)) await remote_jobs.noteCancel(id)
    else await endLostJob(deps, id)
  }

  /** Only those that the engine's list lacks, which may be late, are looked up one by one. */
  async function unlisted(): Promise<OpenJob[]> {
    const jobs = new Map((await remote_jobs.open(RECORDED_WITHIN_MS, MAX_OPEN)).map((job) => [job.id, job]))
    if (jobs.size === 0) return []
    for await (const id of remote.open()) {
      jobs.delete(id)
      if (jobs.size === 0) break
    }
    return [...jobs.values()]
  }

  async function endLost({ id, run_id }: OpenJob): Promise<void> {
    if (await remote.alive(id)) return
    await endLostJob(deps, id)
    await wake(run_id)
    log.warn({ run_id, job_id: id }, 'ended a remote job without its workflow')
  }

  async function each(jobs: OpenJob[], act: (job: OpenJob) => Promise<void>): Promise<void> {
    for (const job of jobs)
      await act(job).catch((err: unknown) =>
        log.warn({ job_id: job.id, err }, 'a remote job could not be looked after'),
      )
  }

  return async (all) => {
    await each(await remote_jobs.abandoned(BATCH), cancel)
    if (all) await each(await unlisted(), endLost)
  }
}
