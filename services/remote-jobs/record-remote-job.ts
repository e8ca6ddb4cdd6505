import type { AuditDraft } from '#core/audit/types.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { foreignJsonIn } from '#core/json/parse-json.ts'
import { storableJson } from '#core/json/storable-json.ts'
import { compileSchema, schemaFieldErrors } from '#core/plan/json-schema.ts'
import { signedResultOf } from '#core/remote-job/attest-schema.ts'
import { attestationText } from '#core/remote-job/attestation.ts'
import {
  type BegunRemoteJob,
  MOST_RESULT_BYTES,
  type RemoteEnd,
  type RemoteJobActivities,
  type RemoteJobClaim,
} from '#core/remote-job/contract.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import { isoTime } from '#core/time/time.ts'
import type { ActivityLife, RemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import type { ClaimedJob, RemoteFailure, RemoteJobEnd, RemoteJobs } from '#store/runs/remote-jobs.ts'
import { type ClaimPorts, refuseClaim } from '../approvals/refuse-claim.ts'

export interface RemoteJobDeps extends ClaimPorts {
  remote_jobs: Pick<RemoteJobs, 'begin' | 'find' | 'settle'>
  sha256: (text: string) => string
  verifyAttestation: (signed: { key: string; text: string; signature: string }) => boolean
  lifeOf: RemoteJobWorkflows['lifeOf']
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
  const life = await deps.lifeOf(job_id)
  const claimed = { ...judgedEnd(job, life, claimedEnd(deps, job, end)), identity: life.started_by }
  if (await deps.remote_jobs.settle(job_id, claimed, endedDraft(deps, job, claimed))) return { recorded: true }
  const known = await deps.remote_jobs.find(job_id)
  // the same once more, by a worker that was lost before the workflow heard of it
  const same = known?.result_digest === claimed.result_digest && known.failure?.code === claimed.failure?.code
  if (known === undefined || !same) throw await refuseClaim(deps, 'job_ended', job_id)
  return { recorded: true }
}

/** Ends a job that the engine knows nothing of any more. */
export async function endLostJob(
  deps: Omit<RemoteJobDeps, 'lifeOf' | 'verifyAttestation'>,
  jobId: string,
): Promise<void> {
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

/** `attestation`: what anybody can check once more, with the key and the record of the opening. */
type Claimed = Omit<RemoteJobEnd, 'identity'> & { attestation?: JsonObject }

/** Anyone who reaches the engine may end, repeat or reset an activity: then it is not known what its worker did. */
function judgedEnd(job: ClaimedJob, { started_by, ended_by, starts }: ActivityLife, end: Claimed): Claimed {
  // who signs is who did it, under any name
  if (end.attestation === undefined && ended_by !== null && ended_by !== started_by)
    return interfered(`it was ended by ${visibleLine(ended_by)}, and begun by ${visibleLine(started_by ?? 'nobody')}`)
  if (starts > job.spec.attempts)
    return interfered(`it was begun ${starts} times, and may be begun ${job.spec.attempts} times`)
  if (STOPPED_FROM_OUTSIDE.some((type) => end.failure?.type === type))
    return interfered('its worker was told that it is reset or paused, and stopped')
  return end
}

/** Types of failures by which a worker says that Temporal told it to stop. */
const STOPPED_FROM_OUTSIDE = ['ActivityReset', 'ActivityPause']

function interfered(how: string): Claimed {
  return { ...refused('activity_interfered', `somebody reached into Temporal: ${how}`), state: 'unknown' }
}

function claimedEnd(deps: RemoteJobDeps, job: ClaimedJob, end: RemoteEnd): Claimed {
  return end.kind === 'returned' ? returnedEnd(deps, job, end.result) : failedEnd(job, end)
}

function returnedEnd(deps: RemoteJobDeps, job: ClaimedJob, given: Json): Claimed {
  const bytes = Buffer.byteLength(JSON.stringify(given))
  if (bytes > MOST_RESULT_BYTES)
    return refused('response_too_large', `its result has ${bytes} bytes, and at most ${MOST_RESULT_BYTES} are taken`)
  if (job.attest === null) return checkedResult(deps.sha256, job, given)
  return attestedEnd(deps, job, given, job.attest)
}

/** What is not signed says nothing of the worker, which may still be at it. */
function attestedEnd({ sha256, verifyAttestation }: RemoteJobDeps, job: ClaimedJob, given: Json, key: string): Claimed {
  const signed = signedResultOf(given)
  if (signed === undefined) return notAttested('it has no signature, and the environment asks for one')
  const digest = `sha256:${sha256(signed.result)}`
  if (!verifyAttestation({ key, text: attestationText(job, digest), signature: signed.signature }))
    return notAttested('its signature is not one of the key of its queue for this result of this attempt')
  const attestation = { key, signature: signed.signature, result_digest: digest }
  const result = foreignJsonIn(signed.result) as Json | undefined
  const end =
    result === undefined ? refused('answer_invalid', 'its result is no JSON') : checkedResult(sha256, job, result)
  return { ...end, attestation }
}

function notAttested(why: string): Claimed {
  return { ...refused('not_attested', `a result came that does not count: ${why}`), state: 'unknown' }
}

function checkedResult(sha256: RemoteJobDeps['sha256'], job: ClaimedJob, given: Json): Claimed {
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

function endedDraft(
  deps: Pick<RemoteJobDeps, 'ids' | 'clock'>,
  job: ClaimedJob,
  end: RemoteJobEnd & Pick<Claimed, 'attestation'>,
): AuditDraft {
  const { state, result_digest, failure, identity, attestation = null } = end
  const { run_id, step_id: step, attempt, queue, activity, workspace_id } = job
  return {
    id: deps.ids.next('audit'),
    ts: isoTime(deps.clock()),
    ...{ workspace_id, run_id, category: 'lineage', action: 'remote_job.ended' },
    actor: { type: 'system', id: 'svc', auth: 'none' },
    subject: { type: 'remote_job', id: job.id },
    data: {
      step,
      attempt,
      queue,
      activity,
      state,
      result_digest,
      identity,
      attestation,
      failure: failure && { ...failure },
    },
  }
}
