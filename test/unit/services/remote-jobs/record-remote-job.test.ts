import { createHash, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AuditDraft } from '#core/audit/types.ts'
import { attestationText } from '#core/remote-job/attestation.ts'
import type { RemoteEnd } from '#core/remote-job/contract.ts'
import type { ActivityLife } from '#platform/temporal/remote-job-workflows.ts'
import { verifyAttestation } from '#platform/temporal/verify-attestation.ts'
import { type RemoteJobDeps, recordRemoteJob } from '#services/remote-jobs/record-remote-job.ts'
import type { ClaimedJob, RemoteJobEnd } from '#store/runs/remote-jobs.ts'
import { HASH, jobOpening } from '#test/support/begin-remote-job.ts'
import { workerKey } from '#test/support/worker-key.ts'

const key = workerKey()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const { spec } = jobOpening()
const JOB: ClaimedJob = {
  ...{ id: 'job_1', run_id: 'run_1', workspace_id: 'ws_1', step_id: 'train', attempt: 1, queue: 'ml' },
  ...{
    activity: 'train',
    plan_hash: HASH,
    input_digest: HASH,
    attest: key.attest,
    idempotent: false,
    state: 'running',
  },
  ...{ spec, result_digest: null, failure: null },
  result_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
}
const HONEST: ActivityLife = { started_by: 'gpu-1', ended_by: 'gpu-1', starts: 1 }

/** What a worker returns that signs for this job. */
function signedFor(job: ClaimedJob, result: string, pem = key.pem) {
  const text = attestationText(job, `sha256:${sha256(result)}`)
  return { result, signature: sign(null, Buffer.from(text), pem).toString('base64') }
}

/** What is put on record of an end. */
async function recorded(
  end: RemoteEnd,
  { life = {}, job = JOB }: { life?: Partial<ActivityLife>; job?: ClaimedJob } = {},
) {
  const settled: { end: RemoteJobEnd; audit: AuditDraft }[] = []
  const deps = {
    remote_jobs: {
      find: async () => job,
      settle: async (_id: string, end: RemoteJobEnd, audit: AuditDraft) => settled.push({ end, audit }) > 0,
    },
    ...{ sha256, verifyAttestation, clock: () => 0, ids: { next: () => 'aud_1' } },
    lifeOf: async () => ({ ...HONEST, ...life }),
  }
  await recordRemoteJob(deps as unknown as RemoteJobDeps, { job_id: job.id, end })
  return settled[0]
}
const returned = (result: unknown) => ({ kind: 'returned', result }) as RemoteEnd

describe('a result that has to be signed', () => {
  it('counts when it is, and its signature is on record', async () => {
    const found = await recorded(returned(signedFor(JOB, '{"n":7}')))
    expect(found?.end).toMatchObject({ state: 'returned', result: { n: 7 }, failure: null })
    const { signature } = signedFor(JOB, '{"n":7}')
    expect(found?.audit.data).toMatchObject({ attestation: { key: key.attest, signature } })
  })

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a result without a signature', { n: 7 }],
    ['an empty signature', { result: '{"n":7}', signature: '' }],
    ['the signature of another key', signedFor(JOB, '{"n":7}', workerKey().pem)],
    ['the signature of another result', { ...signedFor(JOB, '{"n":7}'), result: '{"n":8}' }],
    ['the signature of another run', signedFor({ ...JOB, run_id: 'run_2' }, '{"n":7}')],
    ['the signature of another step', signedFor({ ...JOB, step_id: 'test' }, '{"n":7}')],
    ['the signature of another attempt', signedFor({ ...JOB, attempt: 2 }, '{"n":7}')],
    ['the signature of another activity', signedFor({ ...JOB, activity: 'echo' }, '{"n":7}')],
    ['the signature of another plan', signedFor({ ...JOB, plan_hash: 'sha256:other' }, '{"n":7}')],
    ['the signature of another input', signedFor({ ...JOB, input_digest: 'sha256:other' }, '{"n":7}')],
    ['more than the two', { ...signedFor(JOB, '{"n":7}'), n: 8 }],
  ])('does not count as %s: what its worker did is not known', async (_, given) => {
    const found = await recorded(returned(given))
    expect(found?.end).toMatchObject({ state: 'unknown', result_digest: null, failure: { code: 'not_attested' } })
    expect(found?.end).not.toHaveProperty('result')
    expect(found?.audit.data).toMatchObject({ state: 'unknown', attestation: null })
  })

  it.each([
    ['no JSON', 'seven'],
    ['what does not fit the schema', '{"n":"seven"}'],
  ])('fails as %s, however it is signed', async (_, text) => {
    const found = await recorded(returned(signedFor(JOB, text)))
    expect(found?.end).toMatchObject({ state: 'failed', failure: { code: 'answer_invalid' } })
  })
})

describe('an activity that somebody reached', () => {
  const unsigned = { ...JOB, attest: null }
  const failed: RemoteEnd = { kind: 'failed', why: 'application', type: 'Broken', message: 'no' }

  it('is believed when its worker alone has begun and ended it', async () => {
    expect((await recorded(returned({ n: 7 }), { job: unsigned }))?.end).toMatchObject({ state: 'returned' })
    expect((await recorded(failed))?.end).toMatchObject({ state: 'failed', failure: { code: 'activity_failed' } })
  })

  it.each<[string, RemoteEnd, Partial<ActivityLife>]>([
    ['completed by another', returned({ n: 666 }), { ended_by: 'stranger' }],
    ['failed by another', failed, { ended_by: 'stranger' }],
    ['begun more often than it may', returned({ n: 7 }), { starts: 2 }],
    ['reset', { ...failed, type: 'ActivityReset' } as RemoteEnd, {}],
    ['paused', { ...failed, type: 'ActivityPause' } as RemoteEnd, {}],
  ])('has an unknown end when it was %s', async (_, end, life) => {
    expect((await recorded(end, { job: unsigned, life }))?.end).toMatchObject({
      ...{ state: 'unknown', result_digest: null, failure: { code: 'activity_interfered' } },
    })
  })

  it('is believed by its signature, under any name, as often as it may be begun', async () => {
    const signed = returned(signedFor(JOB, '{"n":7}'))
    expect((await recorded(signed, { life: { ended_by: 'other' } }))?.end.state).toBe('returned')
    expect((await recorded(signed, { life: { starts: 2 } }))?.end.state).toBe('unknown')
    const again = { ...JOB, spec: { ...spec, attempts: 3 } }
    expect((await recorded(signed, { life: { starts: 2 }, job: again }))?.end.state).toBe('returned')
  })
})
