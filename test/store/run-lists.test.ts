import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { LANES } from '#core/contract.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { RUN_STATUSES } from '#core/run/status.ts'
import { LOCAL_ACTOR } from '#services/auth/authenticator.ts'
import { NOBODY } from '#services/auth/known-people.ts'
import { listRuns } from '#services/runs/list-runs.ts'
import { createDb } from '#store/db.ts'
import { activeRuns } from '#store/lane-figures.ts'
import { createRunSearch, type RunSearch, SEARCHED_AT_ONCE } from '#store/runs/run-search.ts'
import { createRunViews, type RunFilter, type RunViews } from '#store/runs/run-views.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import { explainSent } from '#test/support/explain-sent.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { NEIGHBOURS, writeManyRuns } from '#test/support/many-runs.ts'
import { createRecordDeps } from '#test/support/record-engine.ts'
import { runDraft } from '#test/support/run-drafts.ts'
import { recordSql } from '#test/support/sql-recorder.ts'

const RUNS = 20_000
const LIMIT = 51
const workspace_id = DEFAULT_WORKSPACE_ID

let tenants: ReturnType<typeof createTenantDb>
let views: RunViews
/** a session of the workspace, and one of the machinery */

const database = testDatabase()
beforeAll(() => writeManyRuns(database.owner_url, { to: RUNS }))
const recorder = fileFixture(() => recordSql(database.url))
const seen = fileFixture(() => createDb(database.url, { max: 1, workspace: 'none' }))
beforeAll(() => seen.unsafe(`set svc.workspace = '${workspace_id}'`))
const machine = fileFixture(() => createDb(recorder.url, { max: 1 }))
beforeEach(() => {
  // a new session sends its statements in full
  tenants = createTenantDb(recorder.url, { max: 1 })
  views = createRunViews(tenants)
  recorder.statements.length = 0
})
afterEach(() => tenants.end())

const FILTERS: [name: string, filter: Omit<RunFilter, 'workspace_id'>][] = [
  ['every run', {}],
  ...LANES.map((lane): [string, Omit<RunFilter, 'workspace_id'>] => [`lane ${lane}`, { lane }]),
  ...RUN_STATUSES.map((status): [string, Omit<RunFilter, 'workspace_id'>] => [status, { statuses: [status] }]),
  ['a rare status in a lane', { lane: 'realtime', statuses: ['cancelling'] }],
  ['a status of which there are none in a lane', { lane: 'realtime', statuses: ['queued'] }],
  ['the usual status in a lane', { lane: 'background', statuses: ['succeeded'] }],
  ['some usual and some rare', { statuses: ['succeeded', 'cancelling', 'awaiting_approval'] }],
]

describe('what a page of runs reads', () => {
  test.each(FILTERS)('of %s: no more than it shows, of each lane and status', async (_name, filter) => {
    const pairs =
      'lane' in filter || 'statuses' in filter
        ? (filter.statuses ?? RUN_STATUSES).length * (filter.lane === undefined ? LANES.length : 1)
        : 1
    const first = await views.list({ workspace_id, ...filter }, { limit: LIMIT })
    const deep = { position: await timeOf(RUNS / 2), id: 'run_00000000000000000000000000' }
    await views.list({ workspace_id, ...filter }, { limit: LIMIT, after: deep })
    const counted = await views.count({ workspace_id, ...filter }, 1_001)
    expect(counted).toBe(Math.min(1_001, await really(filter)))
    expect(first.length).toBe(Math.min(LIMIT, counted))

    const sent = recorder.statements.filter(({ sql }) => /\bruns r\b/.test(sql))
    expect(sent).toHaveLength(3)
    for (const [at, statement] of sent.entries()) {
      // of the page once more for its columns, its steps and its alerts
      const most = at < 2 ? pairs * LIMIT + 4 * LIMIT : 1_001
      for (const plan of ['custom', 'generic'] as const) {
        const { rows, scanned } = await explainSent(seen, statement, plan)
        expect(scanned.filter((table) => table !== 'plans')).toEqual([])
        expect(rows['runs'], `${plan}: ${statement.sql}`).toBeLessThanOrEqual(most)
      }
    }
  })

  test('the runs that have not ended are counted without those that have', async () => {
    const active = await activeRuns(machine)
    const [row] = await database.db<{ runs: number }[]>`select count(*) as runs from runs where ended_at is null`
    expect(active.reduce((sum, { runs }) => sum + runs, 0)).toBe(row?.runs)
    const [statement] = recorder.statements.filter(({ sql }) => /join runs/.test(sql))
    const { rows } = await explainSent(database.db, statement ?? { sql: '', values: [] }, 'custom')
    expect(rows['runs']).toBe(row?.runs)
  })
})

const SEARCHES: [name: string, search: Omit<RunSearch, 'workspace_id'>, pairs: number][] = [
  ['a pack that is everywhere', { pack: 'bench' }, 1],
  ['a pack that there is not', { pack: 'nope' }, 1],
  ['an environment that there is not', { environment: 'production' }, 1],
  ['a trigger that there is not', { trigger: 'alert' }, 1],
  ['a label', { label: { name: 'team', value: 'a' } }, 1],
  ['a text', { q: 'nothing like it' }, 1],
  ['a text among the failed', { q: 'bench', statuses: ['failed'] }, 2],
  ['a template in a lane', { template: 'three', lane: 'realtime' }, RUN_STATUSES.length],
  ['a time', { since: '2020-01-01T00:00:00Z', until: '2020-01-02T00:00:00Z' }, 1],
]

describe('what a search among runs reads', () => {
  test.each(SEARCHES)('for %s: a thousand rows by one index', async (_name, search, pairs) => {
    const searches = createRunSearch(tenants)
    const deep = { position: await timeOf(RUNS / 2), id: 'run_00000000000000000000000000' }
    for (const after of [undefined, deep]) await searches.find({ workspace_id, ...search }, { limit: LIMIT, after })
    const sent = recorder.statements.filter(({ sql }) => /\bruns r\b/.test(sql))
    expect(sent).toHaveLength(2)
    for (const statement of sent)
      for (const plan of ['custom', 'generic'] as const) {
        const { rows, scanned } = await explainSent(seen, statement, plan)
        expect(scanned).toEqual([])
        expect(rows['runs'] ?? 0, `${plan}: ${statement.sql}`).toBeLessThanOrEqual(pairs * SEARCHED_AT_ONCE)
      }
  })
})

describe('the count of runs', () => {
  test('is exact up to a thousand, and beyond says that there are more', async () => {
    const count = async (filter: Omit<RunFilter, 'workspace_id'>) =>
      (await listRuns({ ...anybody(workspace_id), views }, { limit: 1, ...filter })).total
    expect(await count({})).toEqual({ count: 1_000, capped: true })
    expect(await count({ lane: 'background' })).toEqual({ count: 1_000, capped: true })
    const waiting = { statuses: ['awaiting_approval' as const] }
    expect(await count(waiting)).toEqual({ count: await really(waiting), capped: false })
  })
})

test.each([
  ['every run', {}],
  ['one lane', { lane: 'realtime' as const }],
])('pages of %s neither skip nor repeat a run while others are written', async (_name, filter) => {
  const runs = createRunStore(database.db)
  const views = createRunViews(database.tenants)
  const workspace_id = NEIGHBOURS[0] ?? ''
  const drafts = (count: number) => Array.from({ length: count }, () => runDraft({ workspace_id }))
  // one moment for all of them
  await runs.admit(drafts(300))
  const there = await database.db<{ id: string }[]>`
    select id from runs where workspace_id = ${workspace_id} and lane = any(${'lane' in filter ? [filter.lane] : [...LANES]}::text[])
    order by created_at desc, id desc`
  const walked: string[] = []
  let cursor: string | undefined
  do {
    const page = await listRuns({ ...anybody(workspace_id), views }, { limit: 40, cursor, ...filter })
    walked.push(...page.items.map(({ id }) => id))
    cursor = page.next_cursor
    await runs.admit(drafts(2))
  } while (cursor !== undefined)
  expect(walked).toEqual(there.map(({ id }) => id))
})

/** Anyone who lists runs without asking which wait for them. */
const anybody = (workspace_id: string) => ({
  workspace_id,
  searches: createRunSearch(database.tenants),
  actor: LOCAL_ACTOR,
  channel: 'api' as const,
  people: NOBODY,
  ...createRecordDeps(database.db),
})

async function really({ lane, statuses }: Omit<RunFilter, 'workspace_id'>): Promise<number> {
  const [row] = await database.db<{ runs: number }[]>`
    select count(*) as runs from runs where workspace_id = ${workspace_id}
      and lane = any(${lane === undefined ? [...LANES] : [lane]}::text[])
      and status = any(${statuses ?? [...RUN_STATUSES]}::text[])`
  return row?.runs ?? 0
}

async function timeOf(n: number): Promise<string> {
  const [row] = await database.db<{ at: string }[]>`
    select created_at::text as at from runs where id = ${`run_${String(n).padStart(26, '0')}`}`
  return row?.at ?? ''
}
