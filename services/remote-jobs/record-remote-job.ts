import type { AuditDraft } from '#core/audit/types.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { storableJson } from '#core/json/storable-json.ts'
import { compileSchema, schemaFieldErrors } from '#core/plan/json-schema.ts'
import {
  type BegunRemoteJob,
  MOST_RESULT_BYTES,
  type RemoteEnd,
  type RemoteJobActivities,
  type RemoteJobClaim,
} from '#core/remote-job/contract.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import { isoTime } from '#core/time/time.ts'
import type { ClaimedJob, RemoteFailure, RemoteJobEnd, RemoteJobs } from '#store/runs/remote-jobs.ts'
import { type ClaimPorts, refuseClaim } from '../approvals/refuse-claim.ts'

export interface RemoteJobDeps extends ClaimPorts {
  remote_jobs: Pick<RemoteJobs, 'begin' | 'find' | 'settle'>
  sha256: (text: string) => string
  /** who ended the activity, as the engine has it; undefined where it does not say */
  whoEnded(jobId: string): Promise<string | undefined>
}

/** What there is to schedule for a job. One that is not on record is a forgery. */
export async function beginRemoteJob(deps: RemoteJobDeps, { job_id }: RemoteJobClaim): Promise<BegunRemoteJob> {
  const job = await deps.remote_jobs.begin(job_id)
  if (job !== undefined) return { kind: 'go', run_id: job.run_id, spec: job.spec }
  if ((await deps.remote_jobs.find(job_id)) === undefined) throw await refuseClaim(deps, 'unknown_job', job_id)
  return { kind: 'over' }
}

/** Records how a job ended. What its worker says is a claim: it is taken once, in its size and its schema. */
export async function recordRemoteJob(
  deps: RemoteJobDeps,
  { job_id, end }: Parameters<RemoteJobActivities['recordRemoteJob']>[0],
): Promise<{ recorded: true }> {
  const job = await deps.remote_jobs.find(job_id)
  if (job === undefined) throw await refuseClaim(deps, 'unknown_job', job_id)
  if (job.state === 'begun') throw await refuseClaim(deps, 'not_scheduled', job_id)
  const claimed = { ...claimedEnd(deps, job, end), identity: (await deps.whoEnded(job_id)) ?? null }
  if (await deps.remote_jobs.settle(job_id, claimed, endedDraft(deps, job, claimed))) return { recorded: true }
  const known = await deps.remote_jobs.find(job_id)
  // the same once more, by a worker that was lost before the workflow heard of it
  const same = known?.result_digest === claimed.result_digest && known.failure?.code === claimed.failure?.code
  if (known === undefined || !same) throw await refuseClaim(deps, 'job_ended', job_id)
  return { recorded: true }
}

/** Ends a job that the engine knows nothing of any more. */
export async function endLostJob(deps: Omit<RemoteJobDeps, 'whoEnded'>, jobId: string): Promise<void> {
  const job = await deps.remote_jobs.find(jobId)
  if (job === undefined) return
  const handedOut = job.state === 'running'
  const message = 'its workflow was ended from outside, or the engine lost it'
  const end: RemoteJobEnd = {
    ...{ state: handedOut ? 'unknown' : 'not_sent', result_digest: null, identity: null },
    failure: { code: 'engine_lost', message },
  }
  await deps.remote_jobs.settle(jobId, end, endedDraft(deps, job, end))
}

type Claimed = Omit<RemoteJobEnd, 'identity'>

function claimedEnd(deps: RemoteJobDeps, job: ClaimedJob, end: RemoteEnd): Claimed {
  return end.kind === 'returned' ? returnedEnd(deps, job, end.result) : failedEnd(job, end)
}

function returnedEnd({ sha256 }: RemoteJobDeps, job: ClaimedJob, given: Json): Claimed {
  const bytes = Buffer.byteLength(JSON.stringify(given))
  if (bytes > MOST_RESULT_BYTES)
    return refused('response_too_large', `its result has ${bytes} bytes, and at most ${MOST_RESULT_BYTES} are taken`)
  const result = storableJson(given)
  const invalid = whyInvalid(job.result_schema, result)
  if (invalid !== undefined) return refused('answer_invalid', `its result does not fit the schema: ${invalid}`)
  return { state: 'returned', result, result_digest: `sha256:${sha256(canonicalText(result))}`, failure: null }
}

/** A validator may fill in defaults: it gets a copy, and what came is what counts. */
function whyInvalid(schema: JsonObject, result: Json): string | undefined {
  const validate = compileSchema(schema, { first: true })
  if (validate(structuredClone(result))) return undefined
  const [error] = schemaFieldErrors(validate.errors)
  return visibleLine(`${error?.pointer || '/'} ${error?.msg ?? 'is invalid'}`)
}

function failedEnd(job: ClaimedJob, { why, type, message }: Extract<RemoteEnd, { kind: 'failed' }>): Claimed {
  const says = visibleLine(message)
  switch (why) {
    case 'unattended':
      return refused('queue_unattended', `no worker took ${job.activity} from the queue ${job.queue} in time`)
    case 'application':
    case 'other':
      return refused('activity_failed', says, visibleLine(type))
    case 'cancelled':
      return { ...refused('activity_failed', says), state: 'cancelled' }
    case 'timeout':
    case 'heartbeat':
      return { ...refused('timeout', timeoutText(why)), state: 'unknown' }
  }
}

function timeoutText(why: 'timeout' | 'heartbeat'): string {
  return why === 'timeout'
    ? 'its worker did not answer within the timeout of the step'
    : 'its worker sent no heartbeat in time: it is lost, or still at it'
}

function refused(code: RemoteFailure['code'], message: string, type = ''): Claimed {
  return { state: 'failed', result_digest: null, failure: { code, message, ...(type !== '' && { type }) } }
}

function endedDraft(deps: Pick<RemoteJobDeps, 'ids' | 'clock'>, job: ClaimedJob, end: RemoteJobEnd): AuditDraft {
  const { state, result_digest, failure, identity } = end
  const { run_id, step_id: step, attempt, queue, activity, workspace_id } = job
  return {
    id: deps.ids.next('audit'),
    ts: isoTime(deps.clock()),
    ...{ workspace_id, run_id, category: 'lineage', action: 'remote_job.ended' },
    actor: { type: 'system', id: 'svc', auth: 'none' },
    subject: { type: 'remote_job', id: job.id },
    data: { step, attempt, queue, activity, state, result_digest, identity, failure: failure && { ...failure } },
  }
}
