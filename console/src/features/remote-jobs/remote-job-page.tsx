import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Elsewhere } from '../../components/elsewhere.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { visibleLine } from '../../lib/text.ts'
import { useTitle } from '../../lib/use-title.ts'
import { REMOTE_JOBS } from '../../strings/remote-jobs.ts'
import { remoteJobQuery } from './api.ts'
import { JobFacts } from './job-facts.tsx'

/** One attempt of a step on an external worker. */
export function RemoteJobPage() {
  const { id } = useParams({ from: '/remote-jobs/$id' })
  const query = useQuery(remoteJobQuery(id))
  const { data, error, refetch } = query
  useTitle(data === undefined ? REMOTE_JOBS.title : visibleLine(data.activity))
  if (data === undefined && error !== null)
    return <Elsewhere path="/console/api/remote-jobs/{id}" id={id} error={error} again={() => void refetch()} />
  return (
    <Asked query={query}>
      {(job) => (
        <article key={id}>
          <Link to="/remote-jobs" search={{}} className="link print:hidden">
            {REMOTE_JOBS.title}
          </Link>
          <PageHeader
            title={visibleLine(job.activity)}
            about={
              <>
                {REMOTE_JOBS.of_step(visibleLine(job.step_id), job.attempt)}{' '}
                <Link to="/runs/$id" params={{ id: job.run_id }} className="link break-all font-mono">
                  {job.run_id}
                </Link>
              </>
            }
          />
          <JobFacts job={job} />
        </article>
      )}
    </Asked>
  )
}
