import { describe, expect, test } from 'vitest'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { runDraft } from '#test/support/run-drafts.ts'

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))

async function startRun(cap_micro_usd: number, environment = 'development') {
  const draft = runDraft({ cap_micro_usd, environment })
  await runs.admit([draft])
  const taken = await runs.take(draft.id)
  if ('refused' in taken) throw new Error(taken.refused)
  return { run_id: draft.id, fence: taken.recorded.fence }
}

const open = (step: number, reserve_micro_usd: number, daily?: number) => ({
  step_id: `s${step}`,
  ordinal: step,
  attempt: 1,
  plan_hash: 'sha256:x',
  reserve_micro_usd,
  ...(daily !== undefined && { daily_cap_micro_usd: daily, budget_day: '2026-01-01' }),
})
const settle = (step: number, spent: number) => ({
  step_id: `s${step}`,
  ordinal: step,
  attempt: 1,
  state: 'succeeded' as const,
  llm_micro_usd: spent,
})

async function money(run_id: string) {
  const [row] = await database.db<{ spent: number; reserved: number; cap: number; ledger: number; held: number }[]>`
    select llm_micro_usd + gpu_micro_usd + storage_micro_usd as spent, reserved_micro_usd as reserved, cap_micro_usd as cap,
      (select coalesce(sum(llm_micro_usd + gpu_micro_usd + storage_micro_usd), 0)::bigint from ledger_entries where run_id = r.id) as ledger,
      (select coalesce(sum(reserved_micro_usd), 0)::bigint from run_steps where run_id = r.id) as held
    from runs r where id = ${run_id}`
  if (!row) throw new Error('no run')
  return row
}

describe('the cap of a run', () => {
  test('fifty at once with room for twenty: twenty fit, thirty are refused, the cap holds', async () => {
    const { run_id, fence } = await startRun(20_000)
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => runs.record({ run_id, fence, open: open(n, 1_000) })),
    )
    expect(answers.filter((answer) => 'refused' in answer && answer.refused === 'budget')).toHaveLength(30)
    expect(await money(run_id)).toMatchObject({ spent: 0, reserved: 20_000, held: 20_000 })
  })

  test('what is settled below its reservation makes room, to the last micro-dollar', async () => {
    const { run_id, fence } = await startRun(10_000)
    await runs.record({ run_id, fence, open: open(0, 10_000) })
    const next = { settle: settle(0, 4_000), open: open(1, 6_000) }
    expect(await runs.record({ run_id, fence, ...next, open: open(1, 6_001) })).toMatchObject({
      refused: 'budget',
      scope: 'run',
    })
    expect(await money(run_id)).toMatchObject({ spent: 0, reserved: 10_000 })
    expect(await runs.record({ run_id, fence, ...next })).toMatchObject({ status: 'running' })
    expect(await money(run_id)).toMatchObject({ spent: 4_000, reserved: 6_000, ledger: 4_000 })
  })

  test('a cap that was lowered meanwhile counts from the next attempt on, and one that was raised does not', async () => {
    const { run_id, fence } = await startRun(10_000)
    await runs.record({ run_id, fence, open: { ...open(0, 4_000), run_cap_micro_usd: 10_000 } })
    const next = (run_cap_micro_usd: number, reserve: number) =>
      runs.record({ run_id, fence, settle: settle(0, 4_000), open: { ...open(1, reserve), run_cap_micro_usd } })
    const refused = { refused: 'budget', scope: 'run', spent_micro_usd: 4_000 }
    expect(await next(5_000, 1_001)).toMatchObject({ ...refused, cap_micro_usd: 5_000 })
    expect(await next(1_000, 1)).toMatchObject({ ...refused, cap_micro_usd: 1_000 })
    expect(await next(20_000, 6_001)).toMatchObject({ ...refused, cap_micro_usd: 10_000 })
    expect(await next(5_000, 1_000)).toMatchObject({ status: 'running' })
  })

  test('a lost attempt is charged when its fence is taken, and the cap stops the repetition', async () => {
    const { run_id, fence } = await startRun(10_000)
    await runs.record({ run_id, fence, open: open(0, 7_000) })
    const again = await runs.take(run_id)
    if ('refused' in again) throw new Error(again.refused)
    expect(await money(run_id)).toMatchObject({ spent: 7_000, reserved: 0, held: 0, ledger: 7_000 })
    const repeat = (reserve: number) =>
      runs.record({ run_id, fence: again.recorded.fence, open: { ...open(0, reserve), attempt: 2 } })
    expect(await repeat(7_000)).toMatchObject({ refused: 'budget', scope: 'run' })
    await repeat(3_000)
    expect(await money(run_id)).toMatchObject({ spent: 7_000, reserved: 3_000, held: 3_000 })
  })

  test('what an attempt held that nobody settled is charged when its step is opened again', async () => {
    const { run_id, fence } = await startRun(10_000)
    await runs.record({ run_id, fence, open: open(0, 4_000) })
    await runs.record({ run_id, fence, open: { ...open(0, 3_000), attempt: 2 } })
    expect(await money(run_id)).toMatchObject({ spent: 4_000, reserved: 3_000, held: 3_000, ledger: 4_000 })
  })

  test.each(['cancelled', 'failed', 'succeeded'] as const)(
    'a run that ends as %s is charged what was under way',
    async (status) => {
      const { run_id, fence } = await startRun(10_000)
      await runs.record({ run_id, fence, open: open(0, 7_000) })
      await runs.record({ run_id, take_fence: true, run: { status, error: {} } })
      expect(await money(run_id)).toMatchObject({ spent: 7_000, reserved: 0, held: 0, ledger: 7_000 })
    },
  )

  test('an attempt that ends without a word of its cost is charged all of it, by kind', async () => {
    const { run_id, fence } = await startRun(10_000)
    const parts = { reserve_gpu_micro_usd: 2_000, reserve_storage_micro_usd: 1_000 }
    await runs.record({ run_id, fence, open: { ...open(0, 7_000), ...parts } })
    const { llm_micro_usd: _unsaid, ...silent } = settle(0, 0)
    await runs.record({ run_id, fence, settle: { ...silent, state: 'ready' } })
    const [kinds] = await database.db`
      select r.llm_micro_usd as llm, r.gpu_micro_usd as gpu, r.storage_micro_usd as storage, l.basis
      from runs r join ledger_entries l on l.run_id = r.id where r.id = ${run_id}`
    expect(kinds).toEqual({ llm: 4_000, gpu: 2_000, storage: 1_000, basis: 'estimate' })
  })

  test('an attempt is charged once: who settles it later adds nothing', async () => {
    const { run_id, fence } = await startRun(10_000)
    await runs.record({ run_id, fence, open: open(0, 7_000) })
    const again = await runs.take(run_id)
    if ('refused' in again) throw new Error(again.refused)
    expect(await runs.record({ run_id, fence, settle: settle(0, 5_000) })).toEqual({ refused: 'fenced' })
    await runs.record({
      run_id,
      fence: again.recorded.fence,
      settle: { ...settle(0, 7_000), state: 'outcome_unknown' },
    })
    expect(await money(run_id)).toMatchObject({ spent: 7_000, ledger: 7_000 })
  })

  test('an attempt that was never handed over gives all back, and its number', async () => {
    const { run_id, fence } = await startRun(10_000)
    const { llm_micro_usd: _unsaid, ...silent } = settle(0, 0)
    for (let times = 0; times < 3; times += 1) {
      await runs.record({ run_id, fence, open: open(0, 7_000) })
      await runs.record({ run_id, fence, settle: { ...silent, attempt: 0, state: 'ready', unsent: true } })
      expect(await money(run_id)).toMatchObject({ spent: 0, reserved: 0, ledger: 0 })
    }
    await runs.record({ run_id, fence, open: open(0, 7_000), events: [] })
    await runs.record({ run_id, fence, settle: settle(0, 6_000) })
    expect(await money(run_id)).toMatchObject({ spent: 6_000, ledger: 6_000 })
  })

  test('a settlement above its reservation is impossible', async () => {
    const { run_id, fence } = await startRun(10_000)
    await runs.record({ run_id, fence, open: open(0, 5_000) })
    await expect(runs.record({ run_id, fence, settle: settle(0, 5_001) })).rejects.toThrow(
      /ledger_entries_within_reservation/,
    )
  })

  test('the ledger is the sum of the settlements', async () => {
    const { run_id, fence } = await startRun(1_000_000)
    for (let n = 0; n < 20; n += 1) {
      await runs.record({ run_id, fence, open: open(n, 1_000 + n) })
      await runs.record({ run_id, fence, settle: settle(n, 900 + n) })
    }
    const { spent, ledger, reserved } = await money(run_id)
    expect(reserved).toBe(0)
    expect(ledger).toBe(spent)
    expect(spent).toBe(20 * 900 + 190)
  })
})

describe('the daily cap of an environment', () => {
  test('holds from the first reservation of the day on, as it is set by then', async () => {
    const { run_id, fence } = await startRun(1_000_000, 'changed')
    const reserve = async (step: number, amount: number, daily: number) =>
      'refused' in (await runs.record({ run_id, fence, open: open(step, amount, daily) }))
    expect(await reserve(0, 6_000, 5_000)).toBe(true)
    expect(await reserve(1, 4_000, 10_000)).toBe(false)
    expect(await reserve(2, 4_000, 7_000)).toBe(true)
    expect(await reserve(3, 7_000, 11_000)).toBe(false)
  })

  test('many runs share it, and it is never overshot', async () => {
    const started = await Promise.all(Array.from({ length: 30 }, () => startRun(5_000, 'shared-day')))
    const answers = await Promise.all(started.map((run) => runs.record({ ...run, open: open(0, 1_000, 12_000) })))
    expect(answers.filter((answer) => 'refused' in answer)).toHaveLength(18)
    const [day] = await database.db<{ reserved: number }[]>`
      select reserved_micro_usd as reserved from environment_budgets where environment = 'shared-day'`
    expect(day?.reserved).toBe(12_000)
    await Promise.all(
      started.map(async (run, n) => {
        if (!('refused' in (answers[n] ?? { refused: '' }))) await runs.record({ ...run, settle: settle(0, 500) })
      }),
    )
    const [after] = await database.db<{ reserved: number; spent: number }[]>`
      select reserved_micro_usd as reserved, spent_micro_usd as spent from environment_budgets where environment = 'shared-day'`
    expect(after).toEqual({ reserved: 0, spent: 6_000 })
  })
})
