import { beforeEach, describe, expect, test } from 'vitest'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createRemoteJobs } from '#store/runs/remote-jobs.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { HASH, jobOpening, openRemoteStep } from '#test/support/begin-remote-job.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { createRemoteJobSweep } from '#workers/loops/remote-jobs.ts'

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
const jobs = fileFixture(() => createRemoteJobs(database.db))

const STEP = { step_id: 'one', ordinal: 0, attempt: 1 }
const RETURNED = { state: 'returned', result: { n: 1 }, result_digest: HASH, failure: null, identity: 'w' } as const

let job: { id: string; run_id: string; fence: number }
beforeEach(async () => {
  const draft = runDraft()
  await runs.admit([draft])
  job = await openRemoteStep(database.db, draft.id, { reserve_micro_usd: 100 })
})

const audit = () => ({
  ...({
    id: ids.next('audit'),
    ts: '2026-01-01T00:00:00.000Z',
    category: 'lineage',
    action: 'remote_job.ended',
  } as const),
  ...{ workspace_id: 'ws_00000000000000000000000000', actor: { type: 'system', id: 'svc', auth: 'none' } as const },
  ...{ subject: { type: 'remote_job', id: job.id }, data: {} },
})

/** What the run holds and has spent, and how often the attempt was charged. */
async function budget() {
  const [row] = await database.db`
    select reserved_micro_usd::int as held, (llm_micro_usd + gpu_micro_usd)::int as spent,
      (select count(*)::int from ledger_entries where run_id = r.id) as entries from runs r where id = ${job.run_id}`
  return row
}

describe('what an open attempt holds', () => {
  test('is left to it by every new fence, and charged once, when it is settled', async () => {
    await jobs.start(job.id, 'execution')
    await runs.take(job.run_id)
    const taken = await runs.take(job.run_id)
    expect(await budget()).toEqual({ held: 100, spent: 0, entries: 0 })
    await jobs.settle(job.id, RETURNED, audit())
    const fence = 'recorded' in taken ? taken.recorded.fence : 0
    await runs.record({ run_id: job.run_id, fence, settle: { ...STEP, state: 'succeeded' } })
    expect(await budget()).toEqual({ held: 0, spent: 100, entries: 1 })
  })

  test('is charged when its run is cancelled', async () => {
    await jobs.start(job.id, 'execution')
    const { run_id, fence } = job
    await runs.record({ run_id, fence, run: { status: 'cancelling' } })
    await runs.record({ run_id, take_fence: true, run: { status: 'cancelled' } })
    expect(await budget()).toEqual({ held: 0, spent: 100, entries: 1 })
    const [step] = await database.db`select state, message from run_steps where run_id = ${run_id}`
    expect(step).toEqual({
      ...{ state: 'cancelled', message: 'an external worker was at it: the effect may have happened' },
    })
  })

  test('is given back with an attempt that was never dispatched', async () => {
    const { run_id, fence } = job
    await runs.record({ run_id, fence, settle: { ...STEP, attempt: 0, state: 'ready', unsent: true } })
    expect(await budget()).toEqual({ held: 0, spent: 0, entries: 0 })
    expect(await jobs.start(job.id, 'execution')).toBeUndefined()
    // its number is free
    const again = { ...jobOpening(), id: ids.next('remote_job') }
    await runs.record({ run_id, fence, open: { ...STEP, plan_hash: HASH, reserve_micro_usd: 0, remote_job: again } })
    expect(await jobs.ofAttempt(run_id, 'one', 1)).toMatchObject({ id: again.id, state: 'created' })
  })
})

describe('a remote job', () => {
  test('that was dispatched is not taken back', async () => {
    await jobs.start(job.id, 'execution')
    const { run_id, fence } = job
    const taking = runs.record({ run_id, fence, settle: { ...STEP, attempt: 0, state: 'ready', unsent: true } })
    await expect(taking).rejects.toThrow('has been dispatched')
  })

  test('is dispatched by one execution of its workflow', async () => {
    expect(await jobs.start(job.id, 'execution')).toMatchObject({ execution: 'execution' })
    expect(await jobs.start(job.id, 'another')).toBeUndefined()
    expect(await jobs.start(job.id, 'execution')).toMatchObject({ state: 'running' })
  })

  test('ends once', async () => {
    await jobs.start(job.id, 'execution')
    expect(await jobs.settle(job.id, RETURNED, audit())).toBe(true)
    expect(await jobs.settle(job.id, { ...RETURNED, result: { n: 2 } }, audit())).toBe(false)
    expect(await jobs.ofAttempt(job.run_id, 'one', 1)).toMatchObject({ state: 'returned', result: { n: 1 } })
  })

  test('of a run that is being cancelled is not dispatched, and nobody waits for it', async () => {
    await runs.record({ run_id: job.run_id, fence: job.fence, run: { status: 'cancelling' } })
    expect(await jobs.start(job.id, 'execution')).toBeUndefined()
    expect((await jobs.abandoned(1_000)).map(({ id }) => id)).toContain(job.id)
  })

  test('is waited for until its deadline, and no longer when it has ended', async () => {
    const decisions = createGateDecisions(database.db)
    await jobs.start(job.id, 'execution')
    const waits = (await decisions.runState(job.run_id))?.delay_ms ?? 0
    expect(waits).toBeGreaterThan(50_000)
    expect(waits).toBeLessThanOrEqual(60_000)
    await jobs.settle(job.id, RETURNED, audit())
    expect((await decisions.runState(job.run_id))?.delay_ms).toBe(0)
  })
})

describe('the sweep', () => {
  const asked: string[] = []
  const woken: string[] = []
  const described: string[] = []
  /** whether the engine has workflows of jobs */
  let open = true
  /** what its list has of them */
  let listed: string[] = []
  const sweep = (all: boolean) =>
    createRemoteJobSweep({
      ...createRecordDeps(database.db),
      ...{ remote_jobs: jobs, sha256: () => '', log: { warn: () => undefined } },
      remote: {
        async cancel(id) {
          asked.push(id)
          return open
        },
        async *open() {
          yield 'job_of_nobody'
          yield* listed
        },
        async alive(id) {
          described.push(id)
          return open
        },
      },
      wake: async (id) => void woken.push(id),
    })(all)
  const stateOf = async () => (await jobs.find(job.id))?.state
  const cancelled = () => runs.record({ run_id: job.run_id, take_fence: true, run: { status: 'cancelled' } })
  beforeEach(() => {
    open = true
    listed = []
    for (const noted of [asked, woken, described]) noted.length = 0
  })

  test('passes the end of a run on, once', async () => {
    await jobs.start(job.id, 'execution')
    await runs.record({ run_id: job.run_id, fence: job.fence, run: { status: 'cancelling' } })
    await sweep(false)
    await sweep(false)
    expect(asked.filter((id) => id === job.id)).toHaveLength(1)
    expect(await stateOf()).toBe('running')
  })

  test('ends a job of an ended run that has no workflow', async () => {
    open = false
    await cancelled()
    await sweep(false)
    expect(await stateOf()).toBe('not_dispatched')
  })

  const startLongAgo = async () => {
    await jobs.start(job.id, 'execution')
    await database.db`update remote_jobs set started_at = now() - interval '1 minute' where id = ${job.id}`
  }

  test('describes no workflow that is listed, and ends none that the list does not have yet', async () => {
    await startLongAgo()
    listed = [job.id]
    await sweep(true)
    expect(described).not.toContain(job.id)
    listed = []
    await sweep(true)
    expect(described).toContain(job.id)
    expect([await stateOf(), woken]).toEqual(['running', []])
  })

  test('finds a job whose workflow is gone, and wakes its run', async () => {
    await jobs.start(job.id, 'execution')
    open = false
    await sweep(true)
    expect(await stateOf()).toBe('running')
    await startLongAgo()
    await sweep(true)
    expect([await stateOf(), woken]).toEqual(['unknown', expect.arrayContaining([job.run_id])])
  })
})
