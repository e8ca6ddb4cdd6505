import { DomainError } from '#core/errors.ts'
import type { RemoteJobDetail, RemoteJobRecord } from '#core/remote-job/schema.ts'
import { cutText } from '#core/text/text.ts'
import { visible, visibleLine } from '#core/text/visible-text.ts'
import type { PendingActivity } from '#platform/temporal/remote-job-workflows.ts'
import type { RemoteJobFilter, RemoteJobView } from '#store/runs/remote-jobs.ts'
import { type ListPage, type PageRequest, readPage } from '../list-page.ts'
import type { ReadPorts } from '../read-ports.ts'

type Context = { workspace_id: string } & Pick<ReadPorts, 'remote_jobs'>

/** Lists the attempts of the workspace that external workers do or did, newest first, a page at a time. */
export async function listRemoteJobs(
  { workspace_id, remote_jobs: { views } }: Context,
  { limit, cursor, ...filter }: PageRequest & RemoteJobFilter,
): Promise<ListPage<RemoteJobRecord>> {
  return await readPage(
    { limit, cursor },
    {
      prefix: 'job',
      rows: (place) => views.list(workspace_id, filter, place),
      count: (up_to) => views.count(workspace_id, filter, up_to),
      toItem: toRecord,
    },
  )
}

/** Returns one, and how far it is. Throws `not_found`. */
export async function getRemoteJob(
  { workspace_id, remote_jobs: { views, engine } }: Context,
  { id }: { id: string },
): Promise<RemoteJobDetail> {
  const job = await views.find(workspace_id, id)
  if (job === undefined) throw new DomainError('not_found', 'there is no such remote job')
  // how far it is is no part of the record, which is there without the engine
  const pending = job.state === 'running' ? await engine?.pending(id).catch(() => undefined) : undefined
  return { ...toRecord(job), pending: pending === undefined ? null : shown(job, pending) }
}

function toRecord({ position: _position, has_secrets: _secrets, identity, ...job }: RemoteJobView): RemoteJobRecord {
  return { ...job, identity: identity === null ? null : line(identity) }
}

const HEARTBEAT_CHARS = 2_000
const LINE_CHARS = 500

/** What its worker says may quote a secret of the run, which only a worker of ours can take out, when it records how the job ended. */
function shown(
  { has_secrets = true }: RemoteJobView,
  { heartbeat, worker, last_failure, ...activity }: PendingActivity,
): RemoteJobDetail['pending'] {
  if (has_secrets) return { ...activity, heartbeat: null, worker: null, last_failure: null }
  return {
    ...activity,
    heartbeat: heartbeat === null ? null : cutText(visible(new TextDecoder().decode(heartbeat)), HEARTBEAT_CHARS),
    worker: worker === null ? null : line(worker),
    last_failure: last_failure === null ? null : line(last_failure),
  }
}

function line(text: string): string {
  return cutText(visibleLine(text), LINE_CHARS)
}
