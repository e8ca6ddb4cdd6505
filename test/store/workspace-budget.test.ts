import { describe, expect, test } from 'vitest'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { runDraft } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'

let count = 0

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))

async function newWorkspace(): Promise<string> {
  count += 1
  const id = `ws_${String(count).padStart(26, '1')}`
  await addWorkspace(database, id, `budget-${count}`)
  return id
}

async function startRun(workspace_id: string, environment: string) {
  const draft = runDraft({ workspace_id, environment, cap_micro_usd: 100_000 })
  await runs.admit([draft])
  const taken = await runs.take(draft.id)
  if ('refused' in taken) throw new Error(taken.refused)
  return { run_id: draft.id, fence: taken.recorded.fence }
}

const open = (
  reserve_micro_usd: number,
  caps: { workspace?: number; environment?: number },
  budget_day = '2026-01-01',
) => ({
  step_id: 'one',
  ordinal: 0,
  attempt: 1,
  plan_hash: 'sha256:x',
  reserve_micro_usd,
  budget_day,
  ...(caps.workspace !== undefined && { workspace_daily_cap_micro_usd: caps.workspace }),
  ...(caps.environment !== undefined && { daily_cap_micro_usd: caps.environment }),
})
const settle = (spent: number) => ({
  step_id: 'one',
  ordinal: 0,
  attempt: 1,
  state: 'succeeded' as const,
  llm_micro_usd: spent,
})

async function day(workspaceId: string, environment = '*', date = '2026-01-01') {
  const [row] = await database.db<{ spent: number; reserved: number }[]>`
    select spent_micro_usd as spent, reserved_micro_usd as reserved from environment_budgets
    where workspace_id = ${workspaceId} and environment = ${environment} and day = ${date}`
  return row
}

describe('the daily cap of a workspace', () => {
  test('is shared by all of its environments, and never overshot', async () => {
    const workspace = await newWorkspace()
    const started = await Promise.all(
      Array.from({ length: 30 }, (_, n) => startRun(workspace, n % 2 === 0 ? 'staging' : 'production')),
    )
    const answers = await Promise.all(
      started.map((run) => runs.record({ ...run, open: open(1_000, { workspace: 12_500 }) })),
    )
    const refused = answers.filter((answer) => 'refused' in answer)
    expect(refused).toHaveLength(18)
    expect(refused[0]).toEqual({ refused: 'budget', scope: 'workspace', cap_micro_usd: 12_500 })
    expect(await day(workspace)).toEqual({ spent: 0, reserved: 12_000 })
    for (const [n, run] of started.entries()) {
      if (!('refused' in (answers[n] ?? { refused: '' }))) await runs.record({ ...run, settle: settle(400) })
    }
    expect(await day(workspace)).toEqual({ spent: 12 * 400, reserved: 0 })
  })

  test('is its own, and of one day', async () => {
    const [mine, yours] = [await newWorkspace(), await newWorkspace()]
    const reserve = async (workspace: string, date: string) =>
      runs.record({ ...(await startRun(workspace, 'staging')), open: open(1_000, { workspace: 1_000 }, date) })
    expect(await reserve(mine, '2026-01-01')).not.toHaveProperty('refused')
    expect(await reserve(mine, '2026-01-01')).toMatchObject({ scope: 'workspace' })
    expect(await reserve(mine, '2026-01-02')).not.toHaveProperty('refused')
    expect(await reserve(yours, '2026-01-01')).not.toHaveProperty('refused')
  })

  test('stands beside that of the environment: both hold, and a refusal by either reserves under neither', async () => {
    const workspace = await newWorkspace()
    const caps = { workspace: 3_000, environment: 2_000 }
    const reserve = async (environment: string, amount: number) =>
      runs.record({ ...(await startRun(workspace, environment)), open: open(amount, caps) })
    expect(await reserve('staging', 1_500)).not.toHaveProperty('refused')
    expect(await reserve('staging', 600)).toMatchObject({ scope: 'environment' })
    expect(await reserve('production', 1_600)).toMatchObject({ scope: 'workspace' })
    expect(await day(workspace)).toEqual({ spent: 0, reserved: 1_500 })
    expect(await day(workspace, 'staging')).toEqual({ spent: 0, reserved: 1_500 })
    expect(await day(workspace, 'production')).toBeUndefined()
  })

  test('is charged what a lost attempt or an ended run had reserved, like that of the environment', async () => {
    const workspace = await newWorkspace()
    const run = await startRun(workspace, 'staging')
    const caps = { workspace: 1_000, environment: 1_000 }
    await runs.record({ ...run, open: open(400, caps) })
    const again = await runs.take(run.run_id)
    if ('refused' in again) throw new Error(again.refused)
    const { run_id, recorded } = { run_id: run.run_id, recorded: again.recorded }
    const repeat = (reserve: number) =>
      runs.record({ run_id, fence: recorded.fence, open: { ...open(reserve, caps), attempt: 2 } })
    expect(await repeat(601)).toMatchObject({ refused: 'budget' })
    await repeat(600)
    for (const scope of ['*', 'staging']) expect(await day(workspace, scope)).toEqual({ spent: 400, reserved: 600 })
    await runs.record({ run_id, take_fence: true, run: { status: 'cancelled' } })
    for (const scope of ['*', 'staging']) expect(await day(workspace, scope)).toEqual({ spent: 1_000, reserved: 0 })
  })

  test('that is set or removed while a step runs leaves the sums whole', async () => {
    const workspace = await newWorkspace()
    const [before, after] = [await startRun(workspace, 'staging'), await startRun(workspace, 'staging')]
    await runs.record({ ...before, open: open(500, {}) })
    await runs.record({ ...after, open: open(500, { workspace: 1_000 }) })
    await runs.record({ ...before, settle: settle(500) })
    expect(await day(workspace)).toEqual({ spent: 0, reserved: 500 })
    await runs.record({ ...after, settle: { ...settle(0), state: 'ready' } })
    await runs.record({ ...after, open: { ...open(500, {}), attempt: 2 } })
    await runs.record({ ...after, settle: { ...settle(100), attempt: 2 } })
    expect(await day(workspace)).toEqual({ spent: 0, reserved: 0 })
  })
})
