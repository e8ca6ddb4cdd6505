import type { AuditDraft } from '#core/audit/types.ts'
import { canonicalText } from '#core/json/canonical.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { foreignJsonIn } from '#core/json/parse-json.ts'
import { storableJson, storableText } from '#core/json/storable-json.ts'
import { firstViolation } from '#core/plan/json-schema.ts'
import { signedResultOf } from '#core/remote-job/attest-schema.ts'
import { attestationText } from '#core/remote-job/attestation.ts'
import {
  MAX_RESULT_BYTES,
  type RemoteEnd,
  type RemoteJobActivities,
  type RemoteJobClaim,
  type StartedRemoteJob,
} from '#core/remote-job/contract.ts'
import type { Redactor } from '#core/secret/redactor.ts'
import { visibleLine } from '#core/text/visible-text.ts'
import { isoTime } from '#core/time/time.ts'
import type { SecretBox } from '#platform/secret-box.ts'
import type { ActivityLife, RemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import type { ClaimedJob, RemoteFailure, RemoteJobEnd, RemoteJobs } from '#store/runs/remote-jobs.ts'
import { type ClaimPorts, refuseClaim } from '../approvals/refuse-claim.ts'
import { runRedactor } from '../runs/run-redactor.ts'

export interface RemoteJobDeps extends ClaimPorts {
  remote_jobs: Pick<RemoteJobs, 'start' | 'find' | 'settle'>
  secrets?: Pick<SecretBox, 'open'> | undefined
  sha256: (text: string) => string
  verifyAttestation: (signed: { key: string; text: string; signature: string }) => boolean
  lifeOf: RemoteJobWorkflows['lifeOf']
  /** has a run go on that waits for a job */
  wake: (runId: string) => Promise<unknown>
}

/** What there is to schedule for a job, by the first execution of its workflow. One that is not on record is a forgery. */
export async function startRemoteJob(
  deps: RemoteJobDeps,
  { job_id }: RemoteJobClaim,
  execution: string,
): Promise<StartedRemoteJob> {
  const started = await deps.remote_jobs.start(job_id, execution)
  if (started !== undefined) return { kind: 'schedule', run_id: started.run_id, spec: started.spec }
  const job = await deps.remote_jobs.find(job_id)
  if (job === undefined) throw await refuseClaim(deps, 'unknown_job', job_id)
  await mustBeOwn(deps, job, execution)
  return { kind: 'ended' }
}

/** Only the execution that dispatched a job speaks for it: what another one has had done is not known. */
async function mustBeOwn(deps: RemoteJobDeps, job: ClaimedJob, execution: string): Promise<void> {
  if (job.execution === null || job.execution === execution) return
  const end = { ...interfered('its workflow was started once more, or reset'), identity: null }
  // the execution that would have told its run may be gone
  if (await deps.remote_jobs.settle(job.id, end, endedDraft(deps, job, end))) await deps.wake(job.run_id)
  throw await refuseClaim(deps, 'other_execution', job.id)
}

/** Records how a job ended. What its worker says is a claim: it is taken once, in its size and its schema, without the run's secrets. */
export async function recordRemoteJob(
  deps: RemoteJobDeps,
  { job_id, end }: Parameters<RemoteJobActivities['recordRemoteJob']>[0],
  execution: string,
): Promise<{ recorded: true }> {
  const job = await deps.remote_jobs.find(job_id)
  if (job === undefined) throw await refuseClaim(deps, 'unknown_job', job_id)
  if (job.state === 'created') throw await refuseClaim(deps, 'not_scheduled', job_id)
  await mustBeOwn(deps, job, execution)
  const life = await deps.lifeOf(job_id, execution, job.spec.activity_id)
  const said = judgedEnd(life, claimedEnd(deps, job, end, life))
  const claimed = { ...said, identity: life.started_by }
  const kept = job.run_ended ? withoutWords(claimed) : redacted(deps, claimed, await runRedactor(deps, { ...job }))
  if (await deps.remote_jobs.settle(job_id, kept, endedDraft(deps, job, kept))) return { recorded: true }
  const known = await deps.remote_jobs.find(job_id)
  // the same once more, by a worker that was lost before the workflow heard of it
  const same = known?.result_digest === kept.result_digest && known.failure?.code === kept.failure?.code
  if (known === undefined || !same) throw await refuseClaim(deps, 'job_ended', job_id)
  return { recorded: true }
}

type Ended = Claimed & Pick<RemoteJobEnd, 'identity'>

/** Everything that its worker said, its name too, without the run's secrets: nothing else is kept. */
function redacted({ sha256 }: Pick<RemoteJobDeps, 'sha256'>, end: Ended, redactor: Redactor): Ended {
  const { result, failure, identity } = end
  const shown = result === undefined ? undefined : redactor.data(result)
  return {
    ...end,
    ...(shown !== undefined && { result: shown, result_digest: digestOf(sha256, shown) }),
    failure: failure && redactor.data(failure),
    identity: identity === null ? null : redactor.text(storableText(identity)),
  }
}

/** The secrets of a run that has ended are forgotten: nobody could take them out of what comes now. */
function withoutWords({ state, failure }: Ended): Ended {
  const words = 'its run had ended when it came: what its worker said is not kept'
  const code = failure?.code ?? 'activity_failed'
  return {
    state: state === 'returned' ? 'unknown' : state,
    result_digest: null,
    failure: { code, message: words },
    identity: null,
  }
}

/** Ends a job that the engine knows nothing of any more. */
export async function endLostJob(
  deps: Omit<RemoteJobDeps, 'lifeOf' | 'verifyAttestation' | 'secrets' | 'wake'>,
  jobId: string,
): Promise<void> {
  const job = await deps.remote_jobs.find(jobId)
  if (job === undefined) return
  const isDispatched = job.state === 'running'
  const message = 'its workflow was ended from outside, or the engine lost it'
  const end: RemoteJobEnd = {
    state: isDispatched ? 'unknown' : 'not_dispatched',
    result_digest: null,
    identity: null,
    failure: { code: 'engine_lost', message },
  }
  await deps.remote_jobs.settle(jobId, end, endedDraft(deps, job, end))
}

/** `attestation`: what anybody can check once more, with the key and the record of the opening. */
type Claimed = Omit<RemoteJobEnd, 'identity'> & { attestation?: JsonObject }

/** Anyone who reaches the engine may end, repeat or reset an activity: then it is not known what its worker did. */
function judgedEnd({ started_by, ended_by, starts, repeated }: ActivityLife, end: Claimed): Claimed {
  // who signs is who did it, under any name
  if (end.attestation === undefined && ended_by !== null && ended_by !== started_by)
    return interfered(`it was ended by ${visibleLine(ended_by)}, and started by ${visibleLine(started_by ?? 'nobody')}`)
  if (starts > 1) return interfered(`it was started ${starts} times, and may be started once`)
  if (repeated) return interfered('it was to be repeated after it had failed')
  if (STOPPED_FROM_OUTSIDE.some((type) => end.failure?.type === type))
    return interfered('its worker was told that it is reset or paused, and stopped')
  return end
}

/** Types of failures by which a worker says that Temporal told it to stop. */
const STOPPED_FROM_OUTSIDE = ['ActivityReset', 'ActivityPause']

function interfered(how: string): Claimed {
  return { ...refused('activity_interfered', `somebody reached into Temporal: ${how}`), state: 'unknown' }
}

function claimedEnd(deps: RemoteJobDeps, job: ClaimedJob, end: RemoteEnd, { returned }: ActivityLife): Claimed {
  return end.kind === 'returned' ? returnedEnd(deps, job, returned) : failedEnd(job, end)
}

/** The bytes are read here: a converter of the engine's would round numbers, and stop at what it does not know. */
function returnedEnd(deps: RemoteJobDeps, job: ClaimedJob, returned: ActivityLife['returned']): Claimed {
  if (returned === undefined) return interfered('its history has no result')
  const { encoding, data } = returned
  if (data.byteLength > MAX_RESULT_BYTES)
    return refused(
      'response_too_large',
      `its result has ${data.byteLength} bytes, and at most ${MAX_RESULT_BYTES} are taken`,
    )
  const text = NULLS.has(encoding) ? 'null' : encoding === 'json/plain' ? new TextDecoder().decode(data) : ''
  const given = foreignJsonIn(text) as Json | undefined
  if (given === undefined)
    return refused('answer_invalid', `its result is no JSON, or nested too deeply (${visibleLine(encoding)})`)
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

/** A function that returns nothing has one of these. */
const NULLS: ReadonlySet<string> = new Set(['', 'binary/null'])

function notAttested(why: string): Claimed {
  return { ...refused('not_attested', `a result came that does not count: ${why}`), state: 'unknown' }
}

function checkedResult(sha256: RemoteJobDeps['sha256'], job: ClaimedJob, given: Json): Claimed {
  const result = storableJson(given)
  const violation = firstViolation(job.result_schema, result)
  if (violation !== undefined) {
    const where = visibleLine(`${violation.pointer || '/'} ${violation.msg}`)
    return refused('answer_invalid', `its result does not fit the schema: ${where}`)
  }
  return { state: 'returned', result, result_digest: digestOf(sha256, result), failure: null }
}

function digestOf(sha256: RemoteJobDeps['sha256'], result: Json): string {
  return `sha256:${sha256(canonicalText(result))}`
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
    workspace_id,
    run_id,
    category: 'lineage',
    action: 'remote_job.ended',
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
