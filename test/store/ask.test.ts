import { beforeAll, describe, expect, test } from 'vitest'
import { createAskDb } from '#store/ask/ask-db.ts'
import { ASK_READS } from '#store/ask/ask-role.ts'
import { createAskThreads, purgeAskThreads } from '#store/ask/ask-threads.ts'
import { createDb, type Db } from '#store/db.ts'
import { askUrl } from '#store/make-app-role.ts'
import { createModelCalls, type ModelReservation } from '#store/models/model-calls.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids, runDraft } from '#test/support/run-drafts.ts'
import { fillWorkspace } from '#test/support/tenants.ts'

const A = 'ws_0000000000000000000000000a'
const B = 'ws_0000000000000000000000000b'
const TABLES = Object.keys(ASK_READS)
const TURN_CAP = 50_000
const DAY_CAP = 1_000_000

let runOfB: string

const database = testDatabase()
const ask = fileFixture(() => createAskDb(askUrl(database.url)))
const raw = fileFixture(() => createDb(askUrl(database.url), { max: 1, workspace: 'none' }))
beforeAll(async () => {
  await fillWorkspace(database, A)
  runOfB = await fillWorkspace(database, B)
  await database.db`update audit_outbox set seq = id, hash = 'h' where seq is null`
})

const columnsOf = (table: string) => {
  const columns = ASK_READS[table]
  return columns === 'all' || columns === undefined ? undefined : columns
}
const count = async (db: Db, table: string) => {
  const named = columnsOf(table)
  const rows =
    named === undefined ? await db`select * from ${db(table)}` : await db`select ${db(named)} from ${db(table)}`
  return rows.length
}

describe('the role of the ask agent', () => {
  test('is all that it should be, and no more', async () => {
    expect(await ask.problem()).toBeUndefined()
  })

  test('sees one workspace alone in every table, though nothing in the query says so', async () => {
    for (const table of TABLES) {
      const [ofA, all] = [await ask.in(A, (db) => count(db, table)), await count(database.db, table)]
      expect(ofA, `${table} holds a row of A`).toBeGreaterThan(0)
      expect(ofA, `${table} holds a row of B`).toBeLessThan(all)
    }
    expect(await ask.in(A, (db) => db`select from runs where id = ${runOfB}`)).toHaveLength(0)
    expect(await ask.in(B, (db) => db`select from runs where id = ${runOfB}`)).toHaveLength(1)
  })

  test('sees nothing without a workspace, and nothing where a session asks for all of them', async () => {
    for (const table of TABLES) expect(await count(raw, table), table).toBe(0)
    await raw`select set_config('svc.workspace', '*', false)`
    for (const table of TABLES) expect(await count(raw, table), table).toBe(0)
    await raw`select set_config('svc.workspace', ${A}, false)`
    for (const table of TABLES) expect(await count(raw, table), table).toBeGreaterThan(0)
  })

  test('reads no other table, and no column that holds more than it needs', async () => {
    const others = await database.db<{ name: string }[]>`
      select relname as name from pg_class
      where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace and relname <> all(${TABLES}::text[])`
    expect(others.length).toBeGreaterThan(20)
    for (const { name } of others)
      await expect(raw`select from ${raw(name)}`, name).rejects.toThrow(/permission denied/)
    for (const [table, column] of [
      ['gate_decisions', 'command'],
      ['gates', 'view'],
      ['model_calls', 'record'],
      ['halts', 'set_by'],
    ] as const)
      await expect(raw`select ${raw(column)} from ${raw(table)}`, table).rejects.toThrow(/permission denied/)
  })

  test('writes nothing, also where its session is told that it may', async () => {
    await raw`set default_transaction_read_only = off`
    await raw`select set_config('svc.workspace', ${A}, false)`
    for (const table of TABLES) {
      await expect(raw`delete from ${raw(table)}`, table).rejects.toThrow(/permission denied/)
      await expect(raw`insert into ${raw(table)} default values`, table).rejects.toThrow(/permission denied/)
    }
    await expect(raw`update runs set status = 'cancelled'`).rejects.toThrow(/permission denied/)
    await expect(raw`create table intruder (id int)`).rejects.toThrow(/permission denied/)
    await expect(raw`set role svc_app`).rejects.toThrow(/permission denied/)
    for (const call of [
      raw`select record_run(${raw.json({ run_id: runOfB, run: { status: 'cancelled' } })})`,
      raw`select append_audit('[{}]')`,
      raw`select publish_events('[{"workspaceid": "x", "type": "y"}]')`,
      raw`select forget_runs('[]', 30)`,
      raw`select record_ask_turn('{}')`,
    ])
      await expect(call).rejects.toThrow(/permission denied|violates/)
  })

  test('begins as a reader, so that what slips through is refused as well', async () => {
    await expect(ask.in(A, (db) => db`select nextval('audit_outbox_id_seq')`)).rejects.toThrow(
      /read-only|permission denied/,
    )
    await expect(ask.in(A, (db) => db`select pg_sleep(3)`)).rejects.toThrow(/statement timeout/)
  })

  test('is not used where it may more', async () => {
    const answers = createAskDb(database.url)
    expect(await answers.problem()).toContain('may write to')
    await answers.end()
    const owner = createAskDb(database.owner_url)
    expect(await owner.problem()).toContain('may more than read')
    await owner.end()
    const nobody = createAskDb(Object.assign(new URL(askUrl(database.url)), { username: 'svc_nobody' }).href)
    expect(await nobody.problem()).toMatch(/cannot connect/)
    await nobody.end()
  })
})

describe('the cap of a turn and of the day of a person', () => {
  const calls = () => createModelCalls(database.db)
  const reservation = (changes: Partial<ModelReservation>): ModelReservation => ({
    ...{ id: ids.next('model_call'), workspace_id: A, environment: 'development', model: 'any', day: '2026-01-01' },
    ...{ reserve_micro_usd: 7_000, run_cap_micro_usd: 1_000_000_000, ask_standing: false, requesters: ['usr_local'] },
    ...{
      ask_turn_cap_micro_usd: TURN_CAP,
      ask_day_cap_micro_usd: DAY_CAP,
      ask_people: [ids.next('user')],
      record: runDraft().audit,
    },
    ...changes,
  })
  const opened = async (workspace = A) => {
    const id = ids.next('ask_thread')
    await database.db`
      insert into ask_threads (id, workspace_id, account_id, owner_id) values (${id}, ${workspace}, 'acc_local', 'usr_somebody')`
    return id
  }

  test('holds a turn whose calls are all under way at once', async () => {
    const [ask_thread_id, ask_turn_id] = [await opened(), ids.next('ask_turn')]
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => calls().reserve(reservation({ ask_thread_id, ask_turn_id }))),
    )
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(7)
    expect(answers.find((answer) => answer !== undefined)).toEqual({
      ...{ refused: 'budget', scope: 'turn', cap_micro_usd: TURN_CAP, spent_micro_usd: 49_000 },
    })
  })

  test('holds a person who opens twenty threads at once through two accounts, until the next day, and nobody else', async () => {
    const [person, other] = [ids.next('user'), ids.next('user')]
    const turn = async (day: string, ask_people: string[], changes: Partial<ModelReservation> = {}) =>
      await calls().reserve(
        reservation({
          ask_thread_id: await opened(changes.workspace_id),
          ask_turn_id: ids.next('ask_turn'),
          reserve_micro_usd: 40_000,
          ask_day_cap_micro_usd: 200_000,
          ask_people,
          day,
          ...changes,
        }),
      )
    const accounts = [ids.next('user'), ids.next('user')]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => turn('2026-01-01', [accounts[index % 2] ?? '', person])),
    )
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(5)
    expect(answers.find((answer) => answer !== undefined)).toMatchObject({
      refused: 'budget',
      scope: 'person',
      spent_micro_usd: 200_000,
    })
    expect(await turn('2026-01-01', [other])).toBeUndefined()
    expect(await turn('2026-01-01', [person], { workspace_id: B })).toBeUndefined()
    expect(await turn('2026-01-02', [person])).toBeUndefined()
  })

  test('gives back what a call did not cost', async () => {
    const [ask_thread_id, ask_turn_id] = [await opened(), ids.next('ask_turn')]
    const one = reservation({ ask_thread_id, ask_turn_id, reserve_micro_usd: TURN_CAP })
    expect(await calls().reserve(one)).toBeUndefined()
    expect(await calls().reserve(reservation({ ask_thread_id, ask_turn_id }))).toMatchObject({ refused: 'budget' })
    const audit = { ...runDraft().audit, id: ids.next('audit') }
    await calls().settle({ id: one.id, basis: 'reported', charged_micro_usd: 1_000, overrun_micro_usd: 0, audit })
    expect(await calls().reserve(reservation({ ask_thread_id, ask_turn_id }))).toBeUndefined()
    expect(await createAskThreads(database.db, database.tenants).cost(ask_turn_id)).toBe(8_000)
  })

  test('opens a thread with the first call that fits, and none for one that does not', async () => {
    const threads = createAskThreads(database.db, database.tenants)
    const [ask_thread_id, ask_turn_id] = [ids.next('ask_thread'), ids.next('ask_turn')]
    const owner = { account_id: 'acc_local', owner_id: 'usr_new' }
    const first = (reserve_micro_usd: number) =>
      calls().reserve(reservation({ ask_thread_id, ask_turn_id, ask_opens: owner, reserve_micro_usd }))
    const isThere = () => threads.isTheirs(ask_thread_id, { workspace_id: A, ...owner })
    expect([await first(TURN_CAP + 1), await isThere()]).toEqual([
      expect.objectContaining({ refused: 'budget' }),
      false,
    ])
    expect([await first(1_000), await first(1_000), await isThere()]).toEqual([undefined, undefined, true])
  })

  test('keeps its thread while it is answered, however long ago somebody asked in it before', async () => {
    const { db } = database
    const thread = createAskThreads(db, database.tenants)
    const owner = { workspace_id: A, account_id: 'acc_local', owner_id: 'usr_somebody' }
    const [ask_thread_id, ask_turn_id] = [await opened(), ids.next('ask_turn')]
    await db`update ask_threads set last_turn_at = now() - interval '91 days' where id = ${ask_thread_id}`
    expect(await calls().reserve(reservation({ ask_thread_id, ask_turn_id }))).toBeUndefined()
    expect(await purgeAskThreads(db, 90 * 86_400_000)).toBe(0)
    expect(await thread.isTheirs(ask_thread_id, owner)).toBe(true)
    await db`update model_calls set created_at = now() - interval '2 hours' where ask_thread_id = ${ask_thread_id}`
    expect(await purgeAskThreads(db, 90 * 86_400_000)).toBe(1)
    expect(await thread.isTheirs(ask_thread_id, owner)).toBe(false)
  })

  test('is that of a thread of the workspace', async () => {
    const ask_thread_id = await opened()
    const foreign = reservation({ ask_thread_id, ask_turn_id: ids.next('ask_turn'), workspace_id: B })
    expect(await calls().reserve(foreign)).toEqual({ refused: 'not_found' })
  })
})

test('threads are forgotten with all that was said once nothing was asked for long, and others stay', async () => {
  const { db } = database
  const before = await count(db, 'ask_threads')
  await db`
    update ask_threads set last_turn_at = now() - interval '91 days' where id in (select thread_id from ask_turns where workspace_id = ${B})`
  expect(await purgeAskThreads(db, 90 * 86_400_000)).toBe(1)
  expect(await count(db, 'ask_threads')).toBe(before - 1)
  for (const table of ['ask_turns', 'ask_tool_results'])
    expect(await db`select distinct workspace_id from ${db(table)}`, table).toEqual([{ workspace_id: A }])
})
