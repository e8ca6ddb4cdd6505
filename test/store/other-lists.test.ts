import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { INBOX_STATUSES } from '#core/inbox/item.ts'
import { createAlertStore } from '#store/alerts/alerts.ts'
import { createInboxStore, type InboxFilter, type InboxStore, purgeInbox } from '#store/alerts/inbox.ts'
import { createIngressDeliveries } from '#store/alerts/ingress-deliveries.ts'
import { createRefusals } from '#store/audit/refusals.ts'
import { createDb, type Db } from '#store/db.ts'
import { createApprovalViews } from '#store/gates/approval-views.ts'
import { createStaleGates } from '#store/gates/stale-gates.ts'
import { purgeKeys } from '#store/idempotency.ts'
import { createMetricViews } from '#store/metric-views.ts'
import { createGateNotices } from '#store/notices/gate-notices.ts'
import { createOverdueQueries } from '#store/overdue.ts'
import { createRunRetention } from '#store/runs/run-retention.ts'
import { createSkillFirings } from '#store/skill-firings.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import { explainSent } from '#test/support/explain-sent.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { writeManyRows, writeManyRuns } from '#test/support/many-runs.ts'
import { recordSql } from '#test/support/sql-recorder.ts'

const ROWS = 10_000
const LIMIT = 51
const workspace_id = DEFAULT_WORKSPACE_ID

let tenants: ReturnType<typeof createTenantDb>
/** the machinery's */
let db: Db
let inbox: InboxStore

const database = testDatabase()
beforeAll(async () => {
  await writeManyRuns(database.owner_url, { to: ROWS })
  await writeManyRows(database.owner_url, ROWS)
})
const recorder = fileFixture(() => recordSql(database.url))
const session = fileFixture(() => createDb(database.url, { max: 1 }))
beforeEach(() => {
  // a new session sends its statements in full
  tenants = createTenantDb(recorder.url, { max: 1 })
  db = createDb(recorder.url, { max: 1 })
  inbox = createInboxStore(db, tenants)
  recorder.statements.length = 0
})
afterEach(async () => {
  await Promise.all([tenants.end(), db.end()])
})

/** What the statements since the test began read of a table; each is run again, so that what they delete is put back. */
async function readOf(table: string): Promise<{ most: number; scanned: boolean }> {
  let most = 0
  let scanned = false
  for (const statement of recorder.statements.filter(({ sql }) => sql.includes(table))) {
    for (const plan of ['custom', 'generic'] as const) {
      await session.unsafe('begin')
      const reading = await explainSent(session, statement, plan).finally(() => session.unsafe('rollback'))
      most = Math.max(most, reading.rows[table] ?? 0)
      scanned ||= reading.scanned.includes(table)
    }
  }
  return { most, scanned }
}

const FILTERS: [name: string, filter: Omit<InboxFilter, 'workspace_id'>][] = [
  ['everything', {}],
  ['a usual status', { statuses: ['attached'] }],
  ['a rare status', { statuses: ['failed'] }],
  ['a rare route', { route: '/triggers/manual' }],
  ['a rare source', { source: 'rare' }],
  ['a rare source and a usual status', { source: 'rare', statuses: ['attached'] }],
  ['a usual source and a rare status', { source: 'usual', statuses: ['failed'] }],
  ['a usual route and a rare status', { route: '/triggers/alert', statuses: ['failed', 'unmatched'] }],
]

test.each(FILTERS)('a page of the inbox with %s reads no more than it shows, of each status', async (_name, filter) => {
  const items = await inbox.list({ workspace_id, ...filter }, { limit: LIMIT })
  const count = await inbox.count({ workspace_id, ...filter }, 1_001)
  const [really] = await database.db<{ rows: number }[]>`
    select count(*) as rows from inbox_items where (${filter.source ?? null}::text is null or source = ${filter.source ?? null})
      and (${filter.route ?? null}::text is null or route = ${filter.route ?? null})
      and status = any(${filter.statuses ?? [...INBOX_STATUSES]}::text[])`
  expect(count).toBe(Math.min(1_001, really?.rows ?? 0))
  expect(items.map(({ id }) => id)).toEqual([...items.map(({ id }) => id)].sort().reverse())
  expect(items).toHaveLength(Math.min(LIMIT, count))
  const [list, counting] = recorder.statements.filter(({ sql }) => sql.includes('inbox_items'))
  const statuses = filter.statuses?.length ?? INBOX_STATUSES.length
  for (const [statement, most] of [
    [list, (statuses + 1) * LIMIT],
    [counting, 1_001],
  ] as const) {
    for (const plan of ['custom', 'generic'] as const) {
      const { rows, scanned } = await explainSent(session, statement ?? { sql: '', values: [] }, plan)
      expect(scanned).toEqual([])
      expect(rows['inbox_items'], plan).toBeLessThanOrEqual(most)
    }
  }
})

test.each<[what: string, table: string, most: number, ask: () => PromiseLike<unknown>]>([
  ['gates that nobody will answer', 'gates', 200, () => createStaleGates(tenants).find({ ...STALE, workspace_id }, 50)],
  ['the queue of gates', 'gates', 200, () => createApprovalViews(tenants).queue(workspace_id, {}, { limit: LIMIT })],
  ['how many wait in it', 'gates', 200, () => createApprovalViews(tenants).countQueue(workspace_id, {}, 1_001)],
  ['a line of the queue of gates', 'gates', 200, () => createApprovalViews(tenants).queued(workspace_id, [GATE])],
  ['gates past their time', 'gates', 200, () => createOverdueQueries(db).expiredGates(0, 100)],
  [
    'approvals after which nothing was recorded',
    'gates',
    200,
    () => createOverdueQueries(db).quietSinceDecision(15_000, 4_200_000, 100),
  ],
  ['what is so now, for the metrics', 'gates', 200, () => createMetricViews(db).gauges()],
  ['notices of gates that are due', 'gate_notices', 200, () => createGateNotices(db).takeDue(100)],
  ['what was folded of a delivery', 'run_alerts', 3_000, () => createAlertStore(db).folded(workspace_id, DELIVERY)],
  ['refusals that nobody was told of', 'refusals', 200, () => createRefusals(db).unreported(100)],
  ['refusals that may be forgotten', 'refusals', 20, () => createRefusals(db).purge()],
  ['deliveries that may be forgotten', 'inbox_items', 20, () => purgeInbox(db, 400 * 86_400_000)],
  ['keys that may be forgotten', 'idempotency_keys', 20, () => purgeKeys(db)],
  ['signed deliveries that may be forgotten', 'ingress_deliveries', 20, () => createIngressDeliveries(db).purge()],
  ['firings of skills that may be forgotten', 'skill_firings', 20, () => createSkillFirings(db).purge()],
  ['runs that may be forgotten', 'runs', 10, () => createRunRetention(db).expired(400, 100)],
])('looking for %s does not read the whole table', async (_what, table, most, ask) => {
  await ask()
  expect(recorder.statements.some(({ sql }) => sql.includes(table))).toBe(true)
  const read = await readOf(table)
  expect(read.scanned).toBe(false)
  expect(read.most).toBeLessThanOrEqual(most)
})

const STALE = { run_ids: null, older_than_ms: 0, pack: null, environment: null }
const GATE = `gate_${'0'.repeat(21)}00042`
const DELIVERY = `dlv_${'0'.repeat(21)}00042`
