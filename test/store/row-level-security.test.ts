import { beforeAll, describe, expect, test } from 'vitest'
import { ASK_READS } from '#store/ask/ask-role.ts'
import { createDb, type Db } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { fillWorkspace, lockedTables } from '#test/support/tenants.ts'

/** Reviewed: what is shared by all workspaces, or stands above them. A new table belongs here or gets a policy. */
const WITHOUT_TENANT_ROWS = [
  'applied_functions',
  'audit_file',
  'bus_head',
  'bus_settings',
  'bus_topics',
  'connections',
  'connection_grants',
  'connection_secrets',
  'mcp_tools',
  'oauth_flows',
  'schema_migrations',
  'leases',
  'plans',
  'users',
  'worker_heartbeats',
]

/** What a policy may say: the machinery sees all, everyone else what belongs to the workspace of the session. */
const SETTING = "current_setting('svc.workspace'::text, true)"
const READ_ONCE = `( SELECT ${SETTING} AS current_setting)`
const RULES = [
  ...['(workspace_id = %)', '(id = %)', "((draft ->> 'workspace_id'::text) = %)", 'sees_…'].map(
    (own) => `((${SETTING} = '*'::text) OR ${own.replace('%', SETTING)})`,
  ),
  `((${READ_ONCE} = '*'::text) OR (${READ_ONCE} = workspace_id))`,
]
/** Reviewed: rows of no workspace that every session may read, and only read. */
const SEEN_BY_ALL = [
  { table: 'halts', command: 'SELECT', permissive: 'PERMISSIVE', rule: '(workspace_id IS NULL)', check: null },
]
/** Reviewed: functions that run as their owner: they take what hangs on the row that fires them, or ask for the workspace themselves. */
const DEFINERS = ['forget_pipelines', 'forget_run_secrets', 'forget_runs']

/** Reviewed: views, which read as their owner, so that the workspace is their own condition. */
const VIEWS = ['visible_run_alerts', 'visible_run_steps']

const A = 'ws_0000000000000000000000000a'
const B = 'ws_0000000000000000000000000b'
let locked: string[]
let runOfB: string

const database = testDatabase()
const unset = fileFixture(() => createDb(database.url, { max: 1, workspace: 'none' }))
beforeAll(async () => {
  await fillWorkspace(database, A)
  runOfB = await fillWorkspace(database, B)
  locked = await lockedTables(database.db)
})

/** Places of the rows that a session in this workspace sees. */
const placesIn = (workspaceId: string, table: string) => database.tenants.in(workspaceId, (db) => places(db, table))
const places = async (db: Db, table: string) =>
  (await db<{ place: string }[]>`select ctid::text as place from ${db(table)}`).map((row) => row.place).sort()

describe('the catalogue', () => {
  test('every table is locked, also for its owner, or stands in the reviewed list', async () => {
    const open = await database.db<{ name: string }[]>`
      select relname as name from pg_class
      where relkind in ('r', 'p', 'm', 'v', 'f') and relnamespace = 'public'::regnamespace
        and not (relrowsecurity and relforcerowsecurity) order by relname`
    expect(open.map((table) => table.name)).toEqual([...WITHOUT_TENANT_ROWS, ...VIEWS].sort())
  })

  test('every policy asks for the workspace of the session, for reads and writes alike', async () => {
    const policies = await database.db<
      { table: string; command: string; permissive: string; rule: string; check: string | null }[]
    >`
      select tablename as table, cmd as command, permissive, qual as rule, with_check as check from pg_policies
      where schemaname = 'public' and policyname = 'of_workspace' order by tablename`
    const others = await database.db`
      select tablename as table, cmd as command, permissive, qual as rule, with_check as check from pg_policies
      where schemaname = 'public' and policyname not in ('of_workspace', 'ask_in_one_workspace') order by tablename`
    expect(others).toEqual(SEEN_BY_ALL)
    expect(policies.map((policy) => policy.table)).toEqual(locked)
    for (const { table, command, permissive, rule, check } of policies) {
      expect([table, command, permissive]).toEqual([table, 'ALL', 'PERMISSIVE'])
      expect(RULES, `${table}: ${rule}`).toContain(rule.replace(/sees_(run|gate|artifact|pipeline)\(\w+\)/, 'sees_…'))
      expect(check ?? rule, table).toBe(rule)
    }
  })

  test('the role of the ask agent is held to one workspace, no matter what its session says', async () => {
    const held = await database.db`
      select tablename as table, cmd as command, permissive, roles::text as roles, qual as rule from pg_policies
      where policyname = 'ask_in_one_workspace' order by tablename`
    const rule = `(${READ_ONCE} <> '*'::text)`
    expect(held).toEqual(
      Object.keys(ASK_READS)
        .sort()
        .map((table) => ({ table, command: 'SELECT', permissive: 'RESTRICTIVE', roles: '{svc_ask}', rule })),
    )
  })

  test('nothing steps around the policies: no function but the reviewed ones runs as its owner, and the role obeys them', async () => {
    expect(
      await database.db`select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef order by proname`,
    ).toEqual(DEFINERS.map((proname) => ({ proname })))
    expect(await database.db`select rolsuper, rolbypassrls from pg_roles where rolname = current_user`).toEqual([
      { rolsuper: false, rolbypassrls: false },
    ])
  })
})

describe('a session in one workspace', () => {
  test('sees its own rows and no other in every table, without any predicate', async () => {
    for (const table of locked) {
      const [ofA, ofB, all] = [await placesIn(A, table), await placesIn(B, table), await places(database.db, table)]
      expect(ofA.length, `${table} holds a row of A`).toBeGreaterThan(0)
      expect(ofB.length, `${table} holds a row of B`).toBeGreaterThan(0)
      expect(
        ofA.filter((place) => ofB.includes(place)),
        table,
      ).toEqual([])
      expect(all, table).toEqual(expect.arrayContaining([...ofA, ...ofB]))
    }
  })

  test('sees in the views what belongs to its own runs, and without a workspace nothing', async () => {
    for (const view of VIEWS) {
      const runsIn = (db: Db) => db<{ run_id: string }[]>`select distinct run_id from ${db(view)} order by run_id`
      const of = async (workspace: string) =>
        await database.db<{ run_id: string }[]>`
        select distinct v.run_id from ${database.db(view)} v join runs r on r.id = v.run_id
        where r.workspace_id = ${workspace} order by v.run_id`
      for (const workspace of [A, B]) {
        expect((await of(workspace)).length, `${view} holds a row of ${workspace}`).toBeGreaterThan(0)
        expect(await database.tenants.in(workspace, runsIn), view).toEqual(await of(workspace))
      }
      expect(await runsIn(unset), view).toEqual([])
    }
  })

  test('changes, deletes and adds nothing of another', async () => {
    for (const table of locked) {
      const columns = await database.db<{ name: string; identity: boolean }[]>`
        select attname as name, attidentity <> '' as identity from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`
      const all = columns.map(({ name }) => name)
      const first = columns.find(({ identity }) => !identity)?.name ?? ''
      const own = new Set(await placesIn(A, table))
      const foreign = (await placesIn(B, table)).filter((place) => !own.has(place))
      for (const place of foreign) {
        const [row] =
          await database.db`select to_jsonb(t) as content from ${database.db(table)} t where ctid = ${place}::tid`
        const attempts = [
          (db: Db) => db`update ${db(table)} set ${db(first)} = ${db(first)} where ctid = ${place}::tid returning 1`,
          (db: Db) => db`delete from ${db(table)} where ctid = ${place}::tid returning 1`,
          (db: Db) => db`
            insert into ${db(table)} (${db(all)}) overriding system value
            select ${db(all)} from jsonb_populate_record(null::${db(table)}, ${row?.['content']}::jsonb) returning 1`,
        ]
        for (const attempt of attempts) {
          const came = await database.tenants
            .in(A, async (db) => (await attempt(db)).length)
            .catch((error: unknown) => error)
          if (came !== 0) expect(came, table).toMatchObject({ code: '42501' })
        }
      }
    }
  })

  test('the functions of the write path find nothing of another', async () => {
    const attempt = (query: (db: Db) => PromiseLike<Record<string, unknown>[]>) => database.tenants.in(A, query)
    const gone = { run_id: runOfB, take_fence: true, run: { status: 'cancelled' } }
    expect(await attempt((db) => db`select record_run(${db.json(gone)}) as answer`)).toEqual([
      { answer: { refused: 'not_found' } },
    ])
    expect(await attempt((db) => db`select append_events(${runOfB}, '[]') as answer`)).toEqual([{ answer: null }])
    expect(await createRunStore(database.db, database.tenants).findDecidable(A, runOfB)).toBeUndefined()
  })
})

describe('other sessions', () => {
  test('one that names no workspace sees nothing', async () => {
    for (const table of locked) expect(await places(unset, table), table).toEqual([])
    await unset`select set_config('svc.workspace', '', false)`
    for (const table of locked) expect(await places(unset, table), table).toEqual([])
  })

  test('one that names a workspace that is not there sees nothing', async () => {
    for (const table of locked) expect(await placesIn('ws_zzzzzzzzzzzzzzzzzzzzzzzzzz', table), table).toEqual([])
  })

  test('the machinery sees all', async () => {
    for (const table of locked) {
      const both = new Set([...(await placesIn(A, table)), ...(await placesIn(B, table))])
      expect((await places(database.db, table)).length, table).toBeGreaterThanOrEqual(both.size)
    }
  })
})

describe('a read in the name of a workspace', () => {
  test('enters it before the first query of a connection, however that query is made', async () => {
    const makers: ((db: Db) => PromiseLike<readonly unknown[]>)[] = [
      (db) => db`select id from runs`,
      async (db) => [...(await db`select id from runs`)],
      (db) => db`select id from runs where length(id) > ${1}`.execute(),
    ]
    for (const make of makers) {
      const tenants = createTenantDb(database.url, { max: 1 })
      for (let n = 0; n < 3; n += 1) expect(await tenants.in(A, make)).toHaveLength(2)
      expect(await tenants.in('ws_zzzzzzzzzzzzzzzzzzzzzzzzzz', make)).toHaveLength(0)
      await tenants.end()
    }
  })

  test('never answers under the workspace of the read before it on the same connection', async () => {
    const seen = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        database.tenants.in(n % 2 === 0 ? A : B, (db) => db<{ workspace_id: string }[]>`select workspace_id from runs`),
      ),
    )
    for (const [n, rows] of seen.entries()) {
      expect(rows.map((row) => row.workspace_id)).toEqual(rows.map(() => (n % 2 === 0 ? A : B)))
      expect(rows.length).toBeGreaterThan(0)
    }
  })

  test('takes nothing for a workspace that is not the id of one', async () => {
    await placesIn(A, 'runs')
    for (const id of ['*', '', 'default', `${A}'; set svc.workspace = '*`, `${A}\u0000`, `${A}\n`]) {
      await expect(placesIn(id, 'runs'), id).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('a failing query gives its connection back, and losing the backend costs one answer', async () => {
    const failing = Array.from({ length: 30 }, () => database.tenants.in(A, (db) => db`select 1 / 0`))
    for (const answer of await Promise.allSettled(failing)) expect(answer.status).toBe('rejected')
    await expect(database.tenants.in(A, (db) => db`select pg_terminate_backend(pg_backend_pid())`)).rejects.toThrow()
    expect((await placesIn(A, 'runs')).length).toBeGreaterThan(0)
  })
})
