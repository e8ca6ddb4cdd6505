import { beforeAll, describe, expect, it } from 'vitest'
import { loadGrammar, parseSql, tableNames } from '#activities/operators/postgres/effects/sql-grammar.ts'
import { isKnownToAct, whyNotCalled } from '#core/sql/known-functions.ts'
import { conflicts } from '#core/sql/lock-modes.ts'
import { whyNoRead } from '#core/sql/why-no-read.ts'

beforeAll(loadGrammar)

describe('a statement', () => {
  it.each([
    ['select * from a join s.b on a.id = b.id', 'SELECT', ['a', 's.b']],
    ['INSERT INTO "My Table" (x) VALUES (1) ON CONFLICT DO NOTHING', 'INSERT', ['"My Table"']],
    ['update only a set x = (select max(y) from c)', 'UPDATE', ['a', 'c']],
    ['with q as (select 1 from t) delete from a using q', 'DELETE', ['t', 'a']],
    ['with t as (select * from t) select * from t', 'SELECT', ['t']],
    ['with recursive t as (select 1 union select * from t) select * from t, u', 'SELECT', ['u']],
    ['with a as (select 1) insert into a select * from a', 'INSERT', ['a']],
    ['create unique index concurrently if not exists i on s.t using btree (x)', 'CREATE INDEX CONCURRENTLY', ['s.t']],
    ['alter table if exists a add column b int', 'ALTER TABLE', ['a']],
    ['truncate a, b.c', 'TRUNCATE', ['a', 'b.c']],
    ['drop table if exists a, b.c', 'DROP TABLE', ['a', 'b.c']],
    ['drop trigger t on a', 'DROP TRIGGER', ['a']],
    ['vacuum (full, analyze) a, b', 'VACUUM', ['a', 'b']],
    ['analyze a', 'ANALYZE', ['a']],
    ['refresh materialized view concurrently v', 'REFRESH MATERIALIZED VIEW CONCURRENTLY', ['v']],
    ['reindex index i', 'REINDEX', ['i']],
    ['grant select on t to x', 'GRANT', ['t']],
    ['reset role', 'RESET', []],
    ['show work_mem', 'SHOW', []],
    ["select 'from x' -- from y\n /* from z /* from u */ from w */", 'SELECT', []],
    ['do $body$ begin delete from a; end $body$', 'DO', []],
    ["select e'it\\'s from x', $1 from t", 'SELECT', ['t']],
    ['/* /* */ select */ delete from a', 'DELETE', ['a']],
  ])('%j is told by its grammar', (sql, command, tables) => {
    const { statement } = parseSql(sql)
    expect({ command: statement.command, tables: tableNames(statement) }).toEqual({ command, tables })
  })

  it('names every function, operator, type and dotted name in it, wherever they stand', () => {
    const { statement } = parseSql(
      'select s.f(x::d), (r).g, t.h, a in (1), b operator(s.+@+) c, nullif(1, 2) from t order by i() using <',
    )
    expect(statement.functions.map(({ schema, name }) => [schema, name])).toEqual([
      ['s', 'f'],
      [undefined, 'i'],
    ])
    expect(statement.types.map(({ name }) => name)).toContain('d')
    expect(statement.attributes).toEqual(['g', 'h'])
    expect(statement.operators.map(({ name }) => name)).toEqual(expect.arrayContaining(['=', '+@+', '<']))
  })

  it('calls what an older server would take for a function by its name', () => {
    const { statement } = parseSql("select json_value(a, '$'), json_arrayagg(b), json(c) from t")
    expect(statement.functions.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['json_value', 'json_arrayagg', 'json']),
    )
  })

  it.each(['select 1; select 2', '', ';', '-- x', "select 'open", 'selec', `select ${'('.repeat(30_000)}`])(
    'is refused when it is not one: %#',
    (sql) => expect(() => parseSql(sql)).toThrow(expect.objectContaining({ code: 'sql_refused' })),
  )

  it('is refused when it is nested beyond reason, and the grammar reads on afterwards', () => {
    for (const deep of [
      `select 1${' + 1'.repeat(20_000)}`,
      `select ${'not '.repeat(4_000)}true`,
      `select ${'(select '.repeat(1_500)}1${')'.repeat(1_500)}`,
    ])
      expect(() => parseSql(deep)).toThrow(expect.objectContaining({ code: 'sql_refused' }))
    expect(parseSql('select 1 from t').statement.command).toBe('SELECT')
  })

  it.each([
    ['explain (analyze false, verbose) select 1', undefined],
    ['explain (analyze 0) select 1', undefined],
    ['explain (analyze 0.0) select 1', 'EXPLAIN ANALYZE'],
    ['explain ("ANALYZE") select 1', 'EXPLAIN ANALYZE'],
    ['explain (analyze off, analyze on) select 1', 'EXPLAIN ANALYZE'],
    ['explain refresh materialized view v', 'RefreshMatViewStmt'],
    ['select 1 into t', 'SELECT INTO'],
    ['with a as (merge into t using u on true when matched then delete returning 1) select 1', 'MERGE'],
  ])('%s: %s', (sql, reason) => {
    const { statement, tree } = parseSql(sql)
    expect(whyNoRead(statement, tree)).toBe(reason)
  })
})

describe('a function', () => {
  const known = {
    schema: 's',
    extension: undefined,
    name: 'f',
    volatility: 'volatile' as const,
    origin: 'database' as const,
  }

  it('is called by a read when the catalogue does not call it volatile, or the list knows it', () => {
    expect(whyNotCalled(known)).toMatch('volatile')
    expect(whyNotCalled({ ...known, volatility: 'stable' })).toBeUndefined()
    expect(whyNotCalled({ ...known, name: 'random' })).toMatch('volatile')
    expect(whyNotCalled({ ...known, name: 'random', origin: 'server' })).toBeUndefined()
    expect(whyNotCalled({ ...known, name: 'txid_current', origin: 'server', volatility: 'stable' })).toMatch(
      'although the catalogue',
    )
    expect(
      whyNotCalled({ ...known, name: 'pgstattuple', origin: 'extension', extension: 'pgstattuple' }),
    ).toBeUndefined()
    expect(whyNotCalled({ ...known, name: 'pgstattuple', origin: 'extension', extension: 'other' })).toMatch('volatile')
  })

  it('is refused by its name alone only when it acts', () => {
    for (const name of ['nextval', 'pg_try_advisory_xact_lock_shared', 'lo_unlink', 'pg_ls_dir', 'schema_to_xml'])
      expect([name, isKnownToAct(name)]).toEqual([name, true])
    for (const name of ['lower', 'log', 'pg_stat_get_activity', 'pg_replication_origin_progress', 'lo_sum', 'now'])
      expect([name, isKnownToAct(name)]).toEqual([name, false])
  })
})

describe('lock modes', () => {
  it('conflict as the PostgreSQL documentation tells it, in both directions', () => {
    const modes = [
      'AccessShareLock',
      'RowShareLock',
      'RowExclusiveLock',
      'ShareUpdateExclusiveLock',
      'ShareLock',
      'ShareRowExclusiveLock',
      'ExclusiveLock',
      'AccessExclusiveLock',
    ] as const
    const table = modes.map((wanted) => modes.map((held) => (conflicts(wanted, held) ? 'X' : '.')).join(''))
    expect(table).toEqual([
      '.......X',
      '......XX',
      '....XXXX',
      '...XXXXX',
      '..XX.XXX',
      '..XXXXXX',
      '.XXXXXXX',
      'XXXXXXXX',
    ])
    expect(conflicts('AccessExclusiveLock', 'SIReadLock')).toBe(false)
  })
})
