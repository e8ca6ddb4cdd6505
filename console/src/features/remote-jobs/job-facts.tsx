import { Copyable } from '../../components/copyable.tsx'
import { Data, Facts, Time } from '../../components/facts.tsx'
import { Status } from '../../components/status.tsx'
import { visibleLine } from '../../lib/text.ts'
import { REMOTE_JOBS } from '../../strings/remote-jobs.ts'
import type { RemoteJobDetail } from './api.ts'

const words = REMOTE_JOBS.facts

/** Where a job is, since when, and how far, as far as its worker says. */
export function JobFacts({ job }: { job: RemoteJobDetail }) {
  const { id, queue, task_queue, activity, state, started_at, ended_at, identity, attest, failure } = job
  const pending = ended_at === null ? job.pending : null
  return (
    <Facts
      rows={[
        [words.state, <Status key="state" of={pending?.state === 'paused' ? 'paused' : state} />],
        [words.queue, `${visibleLine(queue)} (${visibleLine(task_queue)}), ${visibleLine(activity)}`],
        [words.since, started_at !== null && <Time at={started_at} />],
        [words.deadline, ended_at === null && <Time at={job.deadline} />],
        [words.until, ended_at !== null && <Time at={ended_at} />],
        [words.worker, pending?.worker ?? identity],
        [words.heartbeat_at, pending?.heartbeat_at && <Time at={pending.heartbeat_at} />],
        [words.heartbeat, pending?.heartbeat && <Data value={pending.heartbeat} />],
        [words.failure, failure && `${failure.code}: ${failure.message}`],
        [words.attest, attest !== null && (state === 'returned' ? words.signed : words.must_sign)],
        [words.id, <Copyable key="id" text={id} />],
      ]}
    />
  )
}
