import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schema } from '#client/create-client.ts'
import { Asked } from '../../components/asked.tsx'
import { Button } from '../../components/button.tsx'
import { Time } from '../../components/facts.tsx'
import { type Filter, FilterBar } from '../../components/filter-bar.tsx'
import { Count, PageHeader } from '../../components/page-header.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { ownSearch } from '../../lib/read-search.ts'
import { visibleLine } from '../../lib/text.ts'
import { allOf } from '../../lib/use-me.ts'
import { useTitle } from '../../lib/use-title.ts'
import { REMOTE_JOBS } from '../../strings/remote-jobs.ts'
import { type RemoteJob, type RemoteJobsSearch, remoteJobListQuery } from './api.ts'

const { columns, filters } = REMOTE_JOBS

const FILTERS: readonly Filter<keyof RemoteJobsSearch>[] = [
  { name: 'queue', label: filters.queue, kind: 'search' },
  {
    name: 'state',
    label: filters.state,
    choices: allOf<Schema<'RemoteJob'>['state']>({
      created: true,
      running: true,
      returned: true,
      failed: true,
      unknown: true,
      cancelled: true,
      not_dispatched: true,
    }),
  },
]

/** What external workers do and did for steps, newest first. */
export function RemoteJobsPage() {
  const search = useSearch({ from: '/remote-jobs', select: ownSearch })
  const navigate = useNavigate({ from: '/remote-jobs' })
  const query = useInfiniteQuery(remoteJobListQuery(search))
  useTitle(REMOTE_JOBS.title)
  return (
    <>
      <PageHeader
        title={REMOTE_JOBS.title}
        aside={<Count of={query.data?.pages[0]} words={REMOTE_JOBS} />}
        about={REMOTE_JOBS.about}
      />
      <FilterBar
        filters={FILTERS}
        values={search}
        onChange={(changed) => void navigate({ to: '/remote-jobs', search: changed })}
      />
      <Asked query={query}>
        {({ pages }) => {
          const jobs = pages.flatMap((page) => page.jobs)
          if (jobs.length === 0) return <Empty>{REMOTE_JOBS.empty}</Empty>
          const names = [columns.state, columns.activity, columns.queue, columns.run, columns.since, columns.until]
          return <PlainTable label={REMOTE_JOBS.title} columns={names} rows={jobs.map(rowOf)} />
        }}
      </Asked>
      {query.hasNextPage && (
        <Button className="mt-3" onClick={() => void query.fetchNextPage()}>
          {REMOTE_JOBS.more}
        </Button>
      )}
    </>
  )
}

function rowOf({ id, state, activity, queue, task_queue, run_id, step_id, attempt, started_at, ended_at }: RemoteJob) {
  return {
    key: id,
    cells: [
      <Status key="state" of={state} />,
      <Link key="activity" to="/remote-jobs/$id" params={{ id }} className="link wrap-anywhere">
        {visibleLine(activity)}
      </Link>,
      <span key="queue" className="wrap-anywhere">
        {visibleLine(queue)} <span className="block text-muted-foreground">{visibleLine(task_queue)}</span>
      </span>,
      <span key="run">
        <Link to="/runs/$id" params={{ id: run_id }} className="link break-all font-mono">
          {run_id}
        </Link>
        <span className="block text-muted-foreground">{REMOTE_JOBS.step(visibleLine(step_id), attempt)}</span>
      </span>,
      started_at !== null && <Time key="since" at={started_at} />,
      ended_at !== null && <Time key="until" at={ended_at} />,
    ],
  }
}
