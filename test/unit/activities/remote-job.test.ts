import { describe, expect, it } from 'vitest'
import { temporalActivity } from '#activities/operators/temporal/activity.ts'
import { followRemoteJob } from '#activities/step/remote-job.ts'
import type { StepWork } from '#activities/step/work.ts'
import type { RemoteJobRow } from '#store/runs/remote-jobs.ts'

const JOB: RemoteJobRow = {
  ...{ id: 'job_1', state: 'running', idempotent: false, plan_hash: 'sha256:shown', result: null, failure: null },
  ...{ remaining_ms: 0, reserved: { llm: 0, gpu: 500, storage: 0 } },
}
const UNATTENDED = { code: 'queue_unattended' as const, message: 'nobody' }

/** What becomes of a step that is open, and whose job is this one. */
async function follow(job: Partial<RemoteJobRow>) {
  const step = { id: 'one', operator: 'temporal.activity', operator_version: 1 }
  const retry = { max_attempts: 3, initial_ms: 5_000, backoff: 2, max_ms: 30_000 }
  const work = {
    deps: {
      operators: { get: () => temporalActivity },
      remote_jobs: { ofAttempt: async () => ({ ...JOB, ...job }) },
      ...{ clock: Date.now, sha256: () => '0' },
    },
    session: { head: { id: 'run_1' } },
    step: { ...step, timeout_ms: 60_000, retry },
    of: { run: { id: 'run_1', dry_run: false, provenance: {} }, step, key: { step_id: 'one', ordinal: 0 } },
    record: { state: 'running', attempt: 1 },
  }
  return await followRemoteJob(work as unknown as StepWork)
}

describe('a step that an external worker is at', () => {
  it('is waited for until its deadline', async () => {
    expect(await follow({ remaining_ms: 5_000 })).toMatchObject({
      kind: 'end',
      end: { kind: 'delayed', delay_ms: 5_000 },
    })
  })

  it('asks a person when nothing was heard of it in time, and is repeated where it may be', async () => {
    expect(await follow({})).toMatchObject({ kind: 'ask', cause: { kind: 'outcome_unknown', unknown: { attempt: 1 } } })
    expect(await follow({ idempotent: true })).toMatchObject({
      ...{ kind: 'write', transition: { settle: { state: 'ready' } }, end: { kind: 'delayed' } },
    })
  })

  it('costs nothing where it was not started, and all that it holds where it may have', async () => {
    const unattended = { state: 'failed', failure: UNATTENDED } as const
    const of = async (job: Partial<RemoteJobRow>) => {
      const end = await follow(job)
      return end?.kind === 'write' ? end.transition.settle?.gpu_micro_usd : end?.kind
    }
    expect(await of(unattended)).toBe(0)
    expect(await of({ ...unattended, idempotent: true })).toBe(0)
    // the database charges what is held
    expect(await of({ state: 'unknown', failure: null, idempotent: true })).toBeUndefined()
  })

  it('succeeds with the result', async () => {
    const end = await follow({ state: 'returned', result: { said: 'done' } })
    expect(end).toMatchObject({
      ...{
        kind: 'settle',
        settled: { settle: { state: 'succeeded', outputs: { result: { said: 'done' }, job_id: 'job_1' } } },
      },
    })
  })

  it('fails with what its worker said', async () => {
    const failure = { code: 'activity_failed' as const, message: 'no device', type: 'NoDevice' }
    expect(await follow({ state: 'failed', failure })).toMatchObject({
      ...{ kind: 'fail', failure: { code: 'activity_failed', details: { job_id: 'job_1', type: 'NoDevice' } } },
    })
    expect(await follow({ state: 'cancelled', failure })).toMatchObject({ kind: 'ask' })
  })
})
