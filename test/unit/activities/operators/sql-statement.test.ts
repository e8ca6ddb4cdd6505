import { describe, expect, it } from 'vitest'
import { conflicts, lockModeOf } from '#activities/operators/sql-locks.ts'
import { readStatement } from '#activities/operators/sql-statement.ts'

describe('readStatement', () => {
  it.each([
    ['select * from a join s.b on a.id = b.id', 'select', ['a', 's.b']],
    ['INSERT INTO "My Table" (x) VALUES (1) ON CONFLICT DO UPDATE SET x = 2', 'insert', ['"My Table"']],
    ['update only a set x = (select max(y) from c)', 'update', ['a', 'c']],
    ['with q as (select 1 from t) delete from a using q', 'with', ['t', 'a']],
    ['create unique index concurrently if not exists i on s.t using btree (x)', 'create', ['s.t']],
    ['alter table if exists a add column b int', 'alter', ['a']],
    ['truncate a, b.c', 'truncate', ['a', 'b.c']],
    ['drop table if exists a, b', 'drop', ['a', 'b']],
    ['vacuum (full, analyze) a, b', 'vacuum', ['a', 'b']],
    ['vacuum full verbose a', 'vacuum', ['a']],
    ['refresh materialized view concurrently v', 'refresh', ['v']],
    ['reindex index i', 'reindex', ['i']],
    ["select 'from x' -- from y\n /* from z /* from u */ from w */", 'select', []],
    ['do $body$ begin delete from a; end $body$', 'do', []],
    ["select e'it\\'s from x', $1 from t", 'select', ['t']],
    ['/* /* */ select */ delete from a', 'delete', ['a']],
    ['', '', []],
    ['-- only', '', []],
    ["select 'open", 'select', []],
  ])('%j', (sql, keyword, tables) => expect(readStatement(sql)).toMatchObject({ keyword, tables }))
})

describe('lock modes', () => {
  it.each([
    ['select 1 from t', 'AccessShareLock'],
    ['update t set x = 1', 'RowExclusiveLock'],
    ['vacuum t', 'ShareUpdateExclusiveLock'],
    ['vacuum full t', 'AccessExclusiveLock'],
    ['create index i on t (x)', 'ShareLock'],
    ['create index concurrently i on t (x)', 'ShareUpdateExclusiveLock'],
    ['alter table t add x int', 'AccessExclusiveLock'],
    ['whatever t', 'AccessExclusiveLock'],
  ])('%s takes %s', (sql, mode) => expect(lockModeOf(readStatement(sql))).toBe(mode))

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
