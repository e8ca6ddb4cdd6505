import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createAuditViews } from '#store/audit/audit-views.ts'
import { createDb } from '#store/db.ts'
import { testDatabase } from '#test/support/file-fixture.ts'

const database = testDatabase()
beforeAll(async () => {
  await database.db`
    insert into audit_outbox (draft, seq, hash)
    select jsonb_build_object('id', 'aud_' || n, 'ts', to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"'),
      'category', case when n % 5000 = 0 then 'sink' else 'lineage' end, 'action', 'a.b',
      'workspace_id', ${DEFAULT_WORKSPACE_ID}::text, 'run_id', 'run_' || n % 3000,
      'actor', jsonb_build_object('id', 'usr_' || n % 3000), 'data', '{}'::jsonb), n, md5(n::text)
    from generate_series(1, 30000) n`
  // what autovacuum does by itself; the role of the service may not
  const owner = createDb(database.owner_url, { max: 1 })
  await owner`analyze audit_outbox`
  await owner.end()
})

describe('the audit log, read by what it says', () => {
  test.each([
    ['', 'audit_outbox_of_workspace'],
    [`and o.category = 'sink'`, 'audit_outbox_of_category'],
    [`and o.actor_id = 'usr_7' and o.category = 'lineage'`, 'audit_outbox_of_actor_in_category'],
    [`and o.run_id = 'run_7'`, 'audit_outbox_of_run'],
    [`and o.ts >= '2026-01-01T01:00:00.000Z' and o.ts < '2026-01-01T01:00:10.000Z'`, 'audit_outbox_of_workspace'],
    [`and (o.ts, o.seq) < ('2026-01-01T01:00:00.000Z', 3600)`, 'audit_outbox_of_workspace'],
  ])('a page %s takes its index under row-level security, and sorts nothing', async (where, index) => {
    const plan = await database.tenants.in(
      DEFAULT_WORKSPACE_ID,
      (db) => db<Record<'QUERY PLAN', string>[]>`
        explain select o.seq, o.hash, o.draft from audit_outbox o
        where o.seq is not null and o.workspace_id = ${db.unsafe(`'${DEFAULT_WORKSPACE_ID}'`)} ${db.unsafe(where)}
        order by o.ts desc, o.seq desc limit 50`,
    )
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain(`using ${index}`)
    expect(text).not.toMatch(/Seq Scan|Sort/)
  })

  test('what somebody did comes newest first whatever its kind, page by page, and counted', async () => {
    const views = createAuditViews(database.db, database.tenants)
    const filter = { workspace_id: DEFAULT_WORKSPACE_ID, actors: ['usr_0'] }
    const first = await views.list(filter, { limit: 4 })
    expect(first.map(({ seq }) => seq)).toEqual([30_000, 27_000, 24_000, 21_000])
    const last = first.at(-1)
    const after = { ts: last?.draft.ts ?? '', seq: last?.seq ?? 0 }
    const rest = await views.list(filter, { limit: 50, after })
    expect(rest.map(({ seq }) => seq)).toEqual([18_000, 15_000, 12_000, 9_000, 6_000, 3_000])
    expect(await views.count(filter, 1_001)).toBe(10)
    expect(await views.count(filter, 3)).toBe(3)
    const sinks = await views.list({ ...filter, category: 'sink' }, { limit: 50 })
    expect(sinks.map(({ seq }) => seq)).toEqual([30_000, 15_000])
    const both = await views.list({ ...filter, actors: ['usr_0', 'usr_1'] }, { limit: 4 })
    expect(both.map(({ seq }) => seq)).toEqual([30_000, 27_001, 27_000, 24_001])
    expect(await views.count({ ...filter, actors: ['usr_0', 'usr_1'] }, 1_001)).toBe(20)
  })
})
