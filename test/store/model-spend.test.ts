import { beforeAll, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createDb, type Db } from '#store/db.ts'
import { createModelSpend, type SpendFilter } from '#store/models/model-spend.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { ids } from '#test/support/run-drafts.ts'
import { addWorkspace } from '#test/support/tenants.ts'

const CALLS = 20_000
const OTHER = ids.next('workspace')

const database = testDatabase()
beforeAll(async () => {
  await addWorkspace(database, OTHER, 'other')
  const owner = createDb(database.owner_url, { max: 1 })
  // one a minute back from now: two weeks
  await owner`
    insert into model_calls (id, workspace_id, environment, model, state, basis, reserved_micro_usd, charged_micro_usd, record, leased_until,
      created_at, settled_at)
    select 'mcl_' || lpad(n::text, 26, '0'), case when n % 2 = 0 then ${DEFAULT_WORKSPACE_ID} else ${OTHER} end, 'development',
      'model-' || n % 7, 'settled', 'reported', 10, n % 10, jsonb_build_object('actor', jsonb_build_object('id', 'usr_' || n % 5)), now(),
      now() - n * interval '1 minute', now()
    from generate_series(1, ${CALLS}) n`
  await owner`vacuum analyze model_calls`
  await owner.end()
})

const filter = (changes: Partial<SpendFilter> = {}): SpendFilter => ({
  ...{ workspace_id: DEFAULT_WORKSPACE_ID, from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' },
  ...{ limit: 3, most_calls: 200_000 },
  ...changes,
})
const of = (changes?: Partial<SpendFilter>) => createModelSpend(database.tenants).of(filter(changes))

test('every sum is that of the rows, and each way to divide it adds up to the whole', async () => {
  const all = await of({ limit: 100 })
  // even numbers, of which one in five ends in 0, 2, 4, 6, 8
  expect(all.totals).toMatchObject({ calls: CALLS / 2, micro_usd: (CALLS / 2) * 4, reported: CALLS / 2, estimated: 0 })
  for (const part of [all.by_model, all.by_run, all.by_person, all.by_day]) {
    expect(part.reduce((sum, { calls }) => sum + calls, 0)).toBe(CALLS / 2)
    expect(part.reduce((sum, { micro_usd }) => sum + micro_usd, 0)).toBe(all.totals.micro_usd)
  }
  expect([all.by_model.length, all.by_person.length, all.complete]).toEqual([7, 5, true])
  expect((await of()).by_model).toEqual(all.by_model.slice(0, 3))
})

test('no more calls are added up than asked for, the newest, and the answer says so', async () => {
  const some = await of({ most_calls: 100 })
  expect([some.complete, some.totals.calls]).toEqual([false, 100])
  expect(some.by_day.length).toBeLessThanOrEqual(2)
})

test('a day is read from the index of the workspace, without the rows of any other day', async () => {
  const from = new Date(Date.now() - 24 * 3_600_000).toISOString()
  const read = await database.db.begin(async (tx) => {
    const spend = createModelSpend({ in: async (_workspace, query) => query(tx as unknown as Db) })
    const found = await spend.of(filter({ from }))
    const [row] = await tx<{ rows: number }[]>`
      select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows from pg_stat_xact_user_tables where relname = 'model_calls'`
    return { rows: row?.rows ?? 0, calls: found.totals.calls }
  })
  expect(read.calls).toBeGreaterThan(700)
  // at most each call of the day once, where the index alone does not do yet
  expect(read.rows).toBeLessThanOrEqual(read.calls + 10)
})
