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

const EXECUTION = 'the execution that handed it out'
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
  ...{ spec, result_digest: null, failure: null, execution: EXECUTION, sealed: null, run_ended: false },
  result_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
}
const HONEST: ActivityLife = { started_by: 'gpu-1', ended_by: 'gpu-1', starts: 1, repeated: false, returned: undefined }

const SECRET = 'canary-7f3a-very-secret'
type Returned = NonNullable<ActivityLife['returned']>

/** What a worker returns that signs for this job. */
function signedFor(job: ClaimedJob, result: string, pem = key.pem) {
  const text = attestationText(job, `sha256:${sha256(result)}`)
  return { result, signature: sign(null, Buffer.from(text), pem).toString('base64') }
}

/** What is put on record of an end. */
async function recorded(
  ended: RemoteEnd | Returned,
  {
    life = {},
    job = JOB,
    execution = EXECUTION,
  }: { life?: Partial<ActivityLife>; job?: ClaimedJob; execution?: string } = {},
) {
  const bytes = 'data' in ended ? ended : undefined
  const refused: AuditDraft[] = []
  const settled: { end: RemoteJobEnd; audit: AuditDraft }[] = []
  const deps = {
    remote_jobs: {
      find: async () => job,
      settle: async (_id: string, end: RemoteJobEnd, audit: AuditDraft) => settled.push({ end, audit }) > 0,
    },
    decisions: { refuse: async (draft: AuditDraft) => void refused.push(draft) },
    wake: async () => undefined,
    secrets: { open: async () => ({ '/token': SECRET }) },
    ...{ sha256, verifyAttestation, clock: () => 0, ids: { next: () => 'aud_1' } },
    lifeOf: async () => ({ ...HONEST, returned: bytes, ...life }),
  }
  const claim = { job_id: job.id, end: bytes === undefined ? (ended as RemoteEnd) : { kind: 'returned' as const } }
  await recordRemoteJob(deps as unknown as RemoteJobDeps, claim, execution).catch((error: unknown) => {
    if (refused.length === 0) throw error
  })
  return settled[0] && { ...settled[0], refused }
}
const returned = (result: unknown) => returnedText(JSON.stringify(result))
const returnedText = (text: string, encoding = 'json/plain'): Returned => ({ encoding, data: Buffer.from(text) })

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

  it('is believed when its worker alone has started and ended it', async () => {
    expect((await recorded(returned({ n: 7 }), { job: unsigned }))?.end).toMatchObject({ state: 'returned' })
    expect((await recorded(failed))?.end).toMatchObject({ state: 'failed', failure: { code: 'activity_failed' } })
  })

  it.each<[string, RemoteEnd | Returned, Partial<ActivityLife>]>([
    ['completed by another', returned({ n: 666 }), { ended_by: 'stranger' }],
    ['failed by another', failed, { ended_by: 'stranger' }],
    ['started more often than it may', returned({ n: 7 }), { starts: 2 }],
    [
      'moved to another queue after it had started',
      { ...failed, why: 'unattended' } as RemoteEnd,
      { starts: 0, repeated: true },
    ],
    ['reset', { ...failed, type: 'ActivityReset' } as RemoteEnd, {}],
    ['paused', { ...failed, type: 'ActivityPause' } as RemoteEnd, {}],
  ])('has an unknown end when it was %s', async (_, end, life) => {
    expect((await recorded(end, { job: unsigned, life }))?.end).toMatchObject({
      ...{ state: 'unknown', result_digest: null, failure: { code: 'activity_interfered' } },
    })
  })

  it('has an unknown end when its workflow was started once more, or reset', async () => {
    const found = await recorded(returned({ n: 7 }), { job: unsigned, execution: 'another' })
    expect(found?.end).toMatchObject({ state: 'unknown', failure: { code: 'activity_interfered' } })
    expect(found?.refused).toHaveLength(1)
  })

  it('is believed by its signature, under any name, once', async () => {
    const signed = returned(signedFor(JOB, '{"n":7}'))
    expect((await recorded(signed, { life: { ended_by: 'other' } }))?.end.state).toBe('returned')
    expect((await recorded(signed, { life: { starts: 2 } }))?.end.state).toBe('unknown')
  })
})

describe('what a worker says', () => {
  const any: ClaimedJob = { ...JOB, attest: null, result_schema: {} }
  const sealed: ClaimedJob = { ...any, sealed: 'sealed' }

  it('keeps its digits', async () => {
    const found = await recorded(returnedText('{"n":9007199254740993,"m":1}'), { job: any })
    expect(found?.end.result).toEqual({ n: '9007199254740993', m: 1 })
  })

  it.each<[string, Returned]>([
    ['is no JSON', returnedText('seven')],
    ['is nested too deeply', returnedText('['.repeat(20_000) + ']'.repeat(20_000))],
    ['is encrypted', returnedText('{}', 'binary/encrypted')],
  ])('fails its step where it %s', async (_, given) =>
    expect((await recorded(given, { job: any }))?.end).toMatchObject({
      ...{ state: 'failed', failure: { code: 'answer_invalid' } },
    }),
  )

  it('is nothing where its function returns nothing', async () => {
    expect((await recorded(returnedText('', ''), { job: any }))?.end).toMatchObject({ state: 'returned', result: null })
    expect((await recorded(returnedText('', 'binary/null'), { job: any }))?.end).toMatchObject({ result: null })
  })

  it('is kept without the secrets of the run, in its result, its failure, its name and on record', async () => {
    const result = await recorded(returned({ said: SECRET }), {
      job: sealed,
      life: { started_by: SECRET, ended_by: SECRET },
    })
    expect(result?.end).toMatchObject({ state: 'returned', result: { said: '<secret:token>' } })
    const plain = await recorded(returned({ said: '<secret:token>' }), { job: sealed })
    expect(result?.end.result_digest).toBe(plain?.end.result_digest)
    const failed = {
      kind: 'failed',
      why: 'application',
      type: 'Denied',
      message: `login with ${SECRET} refused`,
    } as const
    const failure = await recorded(failed, { job: sealed })
    expect(failure?.end.failure).toMatchObject({ message: 'login with <secret:token> refused' })
    expect(JSON.stringify([result, failure])).not.toContain(SECRET)
  })

  it('is not kept once its run has ended, and its secrets are forgotten', async () => {
    const found = await recorded(returned({ said: SECRET }), { job: { ...any, run_ended: true } })
    expect(found?.end).toMatchObject({ state: 'unknown', result_digest: null, identity: null })
    expect(JSON.stringify(found)).not.toContain(SECRET)
  })

  it('is stored where its name has what no database takes', async () => {
    const found = await recorded(returned({ n: 1 }), { job: any, life: { started_by: 'w\0', ended_by: 'w\0' } })
    expect(found?.end.identity).not.toContain('\0')
  })
})
