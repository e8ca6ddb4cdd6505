import { expect, test } from 'vitest'
import { usdText } from '#core/money.ts'
import type { RunPatch } from '#core/run/patch.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { proveDays, proveLedger } from '#test/support/prove-ledger.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { seededRandom } from '#test/support/seeded-random.ts'
import { addWorkspace } from '#test/support/tenants.ts'

const DAYS = ['2026-01-01', '2026-01-02']
const SEED = Number(process.env['SVC_SEED'] ?? 19)

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))

/** What the world knows of a run, beside what the record says: the attempts that may have been sent, and what they may have cost. */
interface Known {
  run_id: string
  fence: number
  attempt: number
  under_way: number | undefined
  may_have_cost: number
  ended: boolean
}

test('whatever happens to attempts, at every step record, ledger, events and audit agree, and what may have been spent is charged', async () => {
  const random = seededRandom(SEED)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const workspace_id = `ws_${'7'.repeat(26)}`
  await addWorkspace(database, workspace_id, 'ledger')
  const fleet: Known[] = []
  for (let n = 0; n < 12; n += 1) {
    const draft = runDraft({ workspace_id, environment: pick(['staging', 'production']), cap_micro_usd: 20_000 })
    await runs.admit([draft])
    const taken = await runs.take(draft.id)
    if ('refused' in taken) throw new Error(taken.refused)
    const fence = taken.recorded.fence
    fleet.push({ run_id: draft.id, fence, attempt: 0, under_way: undefined, may_have_cost: 0, ended: false })
  }

  async function write(run: Known, patch: Omit<RunPatch, 'run_id' | 'fence'>) {
    return await runs.record({ run_id: run.run_id, fence: run.fence, ...patch })
  }
  const open = async (run: Known) => {
    const reserve = 500 + Math.floor(random() * 4_000)
    const attempt = run.attempt + 1
    const answer = await write(run, {
      open: {
        ...{ step_id: 'act', ordinal: 0, attempt, plan_hash: 'sha256:x', reserve_micro_usd: reserve },
        reserve_gpu_micro_usd: Math.floor(reserve / 3),
        ...{ daily_cap_micro_usd: 60_000, workspace_daily_cap_micro_usd: 90_000, budget_day: pick(DAYS) },
      },
    })
    if ('refused' in answer) return expect(answer.refused).toBe('budget')
    run.under_way = reserve
  }
  const lineage = (run: Known, micro_usd: number) => [
    {
      ...runDraft().audit,
      id: ids.next('audit'),
      workspace_id,
      run_id: run.run_id,
      action: 'step.settled',
      data: { cost_usd: usdText(micro_usd) },
    },
  ]
  const settle = async (run: Known, reserve: number) => {
    const step = { step_id: 'act', ordinal: 0, state: 'ready' as const }
    const how = pick(['reported', 'silent', 'silent', 'nothing', 'unsent'] as const)
    if (how === 'unsent') {
      await write(run, { settle: { ...step, attempt: run.attempt, unsent: true } })
      run.under_way = undefined
      return
    }
    const spent = how === 'reported' ? Math.floor(random() * reserve) : how === 'nothing' ? 0 : reserve
    run.attempt += 1
    const reported = how === 'silent' ? {} : { llm_micro_usd: spent }
    await write(run, { settle: { ...step, attempt: run.attempt, ...reported }, audit: lineage(run, spent) })
    run.may_have_cost += spent
    run.under_way = undefined
  }
  const lose = async (run: Known) => {
    const before = run.fence
    const taken = await runs.take(run.run_id)
    if ('refused' in taken) throw new Error(taken.refused)
    run.fence = taken.recorded.fence
    run.may_have_cost += run.under_way ?? 0
    if (run.under_way !== undefined) run.attempt += 1
    run.under_way = undefined
    // the twin comes back and says what it did
    const late = { step_id: 'act', ordinal: 0, attempt: run.attempt, state: 'succeeded' as const, llm_micro_usd: 1 }
    expect(await runs.record({ run_id: run.run_id, fence: before, settle: late })).toEqual({ refused: 'fenced' })
  }
  const end = async (run: Known) => {
    await runs.record({
      run_id: run.run_id,
      take_fence: true,
      run: pick([{ status: 'cancelled' }, { status: 'failed', error: {} }]),
    })
    run.may_have_cost += run.under_way ?? 0
    run.ended = true
  }

  for (let n = 0; n < 400; n += 1) {
    const run = pick(fleet.filter((each) => !each.ended))
    const dice = random()
    if (dice < 0.02 && fleet.filter((each) => !each.ended).length > 2) await end(run)
    else if (dice < 0.2) await lose(run)
    else if (run.under_way === undefined) await open(run)
    else await settle(run, run.under_way)
    const books = await proveLedger(database.db, run.run_id)
    expect(books.spent).toBe(run.may_have_cost)
    if (n % 20 === 0) await proveDays(database.db)
  }
  const days = await proveDays(database.db)
  expect(days.length).toBeGreaterThan(3)
  expect(fleet.some((run) => run.may_have_cost > 15_000)).toBe(true)
})

test('what an attempt cost that had reserved nothing is charged nothing, and stands in the ledger once', async () => {
  const draft = runDraft()
  await runs.admit([draft])
  const run_id = draft.id
  const taken = await runs.take(run_id)
  if ('refused' in taken) throw new Error(taken.refused)
  const { fence } = taken.recorded
  const act = { step_id: 'act', ordinal: 0, attempt: 1 }
  await runs.record({ run_id, fence, open: { ...act, plan_hash: 'sha256:x', reserve_micro_usd: 0 } })
  const cost = { llm_micro_usd: 0, overrun_micro_usd: 700 }
  const settled = { run_id, fence, settle: { ...act, state: 'ready' as const, ...cost } }
  expect(await runs.record(settled)).toMatchObject({ status: 'running' })
  expect(await runs.record(settled)).toMatchObject({ status: 'running' })
  const { spent, attempts } = await proveLedger(database.db, run_id)
  expect([spent, attempts]).toEqual([0, [{ step: 'act', attempt: 1, micro_usd: 0, reserved: 0, basis: 'reported' }]])
  const overruns = await database.db`
    select l.overrun_micro_usd::int as entry, ((e.data ->> 'overrun_usd')::numeric * 1000000)::int as event
    from ledger_entries l join run_events e on e.run_id = l.run_id and e.type = 'budget.settled' where l.run_id = ${run_id}`
  expect(overruns).toEqual([{ entry: 700, event: 700 }])
})
