import { useQuery } from '@tanstack/react-query'
import { Copyable } from '../../components/copyable.tsx'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { Status } from '../../components/status.tsx'
import { visibleLine } from '../../lib/text.ts'
import { STRINGS } from '../../strings.ts'
import { remoteJobQuery, remoteJobsQuery } from './api.ts'

const words = STRINGS.run.remote

/** Where a step is that a worker of one's own does, since when, and how far. */
export function RemoteJob({ run, step }: { run: string; step: string }) {
  const { data: jobs = [] } = useQuery(remoteJobsQuery(run))
  const job = jobs.find((each) => each.step_id === step)
  const isOut = job?.ended_at === null
  const { data } = useQuery({ ...remoteJobQuery(job?.id ?? ''), enabled: isOut })
  if (job === undefined) return null
  const { id, queue, task_queue, activity, state, started_at, ended_at, identity } = job
  const { worker = identity, heartbeat_at, heartbeat } = (isOut && data?.pending) || {}
  return (
    <Facts
      rows={[
        [words.state, <Status key="state" of={state} />],
        [words.queue, `${visibleLine(queue)} (${visibleLine(task_queue)}), ${visibleLine(activity)}`],
        [words.since, started_at !== null && <Time at={started_at} />],
        [words.until, ended_at !== null && <Time at={ended_at} />],
        [words.worker, worker],
        [words.heartbeat_at, heartbeat_at && <Time at={heartbeat_at} />],
        [words.heartbeat, heartbeat && <Data value={heartbeat} />],
        [words.id, <Copyable key="id" text={id} />],
      ]}
    />
  )
}
