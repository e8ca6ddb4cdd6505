import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { REMOTE_JOBS } from '../../strings/remote-jobs.ts'
import { remoteJobQuery, remoteJobsOfRunQuery } from './api.ts'
import { JobFacts } from './job-facts.tsx'

/** Where a step is that an external worker does, since when, and how far. */
export function RunRemoteJob({ run, step }: { run: string; step: string }) {
  const { data: jobs = [] } = useQuery(remoteJobsOfRunQuery(run))
  const job = jobs.find((each) => each.step_id === step)
  const { data } = useQuery({ ...remoteJobQuery(job?.id ?? ''), enabled: job?.ended_at === null })
  if (job === undefined) return null
  return (
    <>
      <JobFacts job={{ pending: null, ...data, ...job }} />
      <Link to="/remote-jobs/$id" params={{ id: job.id }} className="link print:hidden">
        {REMOTE_JOBS.open}
      </Link>
    </>
  )
}
