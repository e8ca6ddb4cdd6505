import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { JsonObject } from '#core/json/json.ts'
import { type AilingDatabase, ailingDatabase } from '#test/support/ailing-database.ts'
import { type AgedServer, startAgedServer } from '#test/support/postgres-15.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'
import { runDbTemplate, type TemplateRun } from '#test/support/run-template.ts'

/** What the pack may take to answer where everybody else waits. */
const PROMPT_MS = 15_000

describe('the database pack on the server that we ship', () => diagnoses(() => inject('postgres_url'), false))

describe('the database pack on PostgreSQL 15, near wraparound', needs('postgres15'), () => {
  let server: AgedServer
  beforeAll(async () => {
    server = await startAgedServer(programOf('postgres15'))
  })
  afterAll(() => server.stop())
  diagnoses(() => server.url, true)
})

function diagnoses(serverUrl: () => string, aged: boolean): void {
  let ailing: AilingDatabase
  let first: TemplateRun
  beforeAll(async () => {
    ailing = await ailingDatabase(serverUrl())
  })
  afterAll(() => ailing.end())

  const run = (template: string, inputs: JsonObject): Promise<TemplateRun> =>
    runDbTemplate(template, ailing.url, inputs)
  const check = () => run('maintenance-check', { long_transaction_s: 0 })
  // the pack reads the whole server, where other test files have locks of their own
  const isOfChain = (pid: unknown) => ailing.chain.includes(Number(pid))
  const ofChain = ({ steps }: TemplateRun, step: string) =>
    (steps[step]?.outputs.rows ?? []).filter(({ pid }) => isOfChain(pid))
  const findingOf = ({ outputs }: TemplateRun, text: string) =>
    (outputs['findings'] as { severity: string; finding: string; todo: string }[]).find(({ finding }) =>
      finding.includes(text),
    )

  it('answers beside an ACCESS EXCLUSIVE lock, and names root, chain, bloat and indexes', async () => {
    const began = performance.now()
    const checked = await check()
    first = checked
    expect(performance.now() - began).toBeLessThan(PROMPT_MS)
    const [root, second, third, fourth] = ailing.chain
    const blocking = ofChain(checked, 'blocking')
    expect((checked.outputs['blockers'] as unknown[]).filter(isOfChain)).toEqual([root])
    expect(blocking).toMatchObject([
      { pid: root, depth: 0, blocks: 3, role: 'postgres', application: 'nightly-import', state: 'idle in transaction' },
      { pid: second, depth: 1, blocks: 2, application: 'web' },
      { pid: third, depth: 2, blocks: 1, application: 'worker' },
      { pid: fourth, depth: 3, blocks: 0, application: 'report' },
    ])
    expect(blocking[1]).toMatchObject({ wants: 'a row of sales.one', holds: '' })
    expect(blocking[0]?.['holds']).toContain('AccessExclusiveLock on sales."Invoice"')
    expect(
      findingOf(checked, `process ${root} (postgres, nightly-import, idle in transaction) blocks 3`)?.todo,
    ).toContain(`db/end-session, action terminate, pid ${root}, backend_start 2`)
    // free space after a vacuum counts like dead rows, and each is told what helps
    expect(findingOf(checked, 'table sales."Invoice": about')).toMatchObject({
      severity: 'high',
      finding: expect.stringContaining('(55 %, estimated; 0 % of its rows are dead)'),
      todo: expect.stringContaining('VACUUM FULL or pg_repack'),
    })
    expect(findingOf(checked, 'table sales.dead: about')).toMatchObject({
      finding: expect.stringContaining('(55 %, estimated; 55 % of its rows are dead)'),
      todo: expect.stringContaining('db/maintenance, table sales.dead, action vacuum'),
    })
    expect(findingOf(checked, 'sales.sound:')).toBeUndefined()
    expect(findingOf(checked, 'index sales."Failed" of sales.doubled is invalid')?.severity).toBe('high')
    expect(findingOf(checked, 'index sales."Twin" of sales.sound is the same as sales.sound_pkey')).toBeDefined()
    expect(checked.report).toContain('the extension pgstattuple, which would measure, is not installed here')
    expect(checked.report).not.toContain('secret')
    expect(checked.report).not.toContain('4711')
  })

  it(aged ? 'says how near wraparound is, and what is promised' : 'says how far wraparound is', () => {
    const checked = first
    const [oldest] = checked.steps['wraparound']?.outputs.rows ?? []
    expect(oldest?.['severity']).toBe(aged ? 'critical' : '')
    expect(Number(oldest?.['distance']) < 150_000_000).toBe(aged)
    const top = checked.report.split('\n').find((line) => /^\| (critical|high)/.test(line))
    expect(top?.startsWith('| critical | database ')).toBe(aged)
    expect(findingOf(checked, 'prepared transaction forgotten (prepared) is open') !== undefined).toBe(aged)
  })

  it('stops before a gate, and names who holds the table and how to end it', async () => {
    const began = performance.now()
    const inputs = { table: 'sales."Invoice"', action: 'vacuum', max_lock_age_s: 0 }
    await expect(run('maintenance', inputs)).rejects.toThrow(
      new RegExp(
        `^sales."Invoice" is held by process ${ailing.chain[0]} \\(postgres, nightly-import, idle in transaction\\) with AccessExclusiveLock for .* db/end-session, pid ${ailing.chain[0]}$`,
      ),
    )
    expect(performance.now() - began).toBeLessThan(PROMPT_MS)
  })

  it('looks at a table that was just locked without waiting for it, and queues no longer than it says', async () => {
    const began = performance.now()
    const inputs = { table: 'sales."Invoice"', action: 'vacuum', max_lock_age_s: 9_999, lock_timeout: '100ms' }
    await expect(run('maintenance', inputs)).rejects.toMatchObject({
      code: 'lock_timeout',
      details: { held_by: [ailing.chain[0]] },
    })
    expect(performance.now() - began).toBeLessThan(PROMPT_MS)
  })

  it('measures where pgstattuple is installed, and opens nothing that is locked', async () => {
    await ailing.sql.unsafe('create extension pgstattuple')
    const checked = await check()
    expect(findingOf(checked, 'table sales.dead: 3')?.finding).toMatch(
      /\(5[0-9] %, measured: 4[0-9] % dead rows|\(5[0-9] %, measured/,
    )
    expect(findingOf(checked, 'table sales."Invoice": about')?.finding).toContain('estimated')
    expect(checked.steps['measured']?.outputs.rows.map(({ relation }) => relation)).not.toContain('sales."Invoice"')
  })

  it('answers a role that may hardly see anything, and says so', async () => {
    await ailing.sql.unsafe(`create role nobody_${aged} login password 'x'`)
    const url = new URL(ailing.url)
    url.username = `nobody_${aged}`
    url.password = 'x'
    const checked = await runDbTemplate('maintenance-check', url.href, {})
    expect(checked.report).toContain('is not a member of `pg_monitor`')
    await ailing.sql.unsafe(`drop role nobody_${aged}`)
  })

  it('estimates no bloat without statistics, and says what would tell', async () => {
    const role = `reader_${aged}`
    await ailing.sql.unsafe(`
      create table sales.uncounted with (autovacuum_enabled = false) as select n, repeat('x', 80) as note from generate_series(1, 20000) n;
      create role ${role} login password 'x'; grant pg_monitor to ${role}; grant usage on schema sales to ${role}`)
    await ailing.sql.unsafe(`select pg_stat_reset_single_table_counters('sales.uncounted'::regclass)`)
    await ailing.sql.unsafe(`delete from sales.uncounted where n = 1`)
    await ailing.sql.unsafe('select pg_stat_force_next_flush()')
    const url = new URL(ailing.url)
    url.username = role
    url.password = 'x'
    try {
      const checked = await runDbTemplate('maintenance-check', url.href, { measure_up_to_mb: 0 })
      expect(findingOf(checked, 'sales.uncounted')).toBeUndefined()
      expect(checked.outputs['tables']).not.toContain('sales.uncounted')
      const [row] = (checked.steps['tables']?.outputs.rows ?? []).filter(
        ({ relation }) => relation === 'sales.uncounted',
      )
      expect(row).toMatchObject({ is_known: false, dead: '', severity: '' })
      expect(checked.report).toContain(
        `not known: it was not analyzed since the statistics began, and the role may not read those of its columns | db/maintenance, table sales.uncounted, action analyze; grant select on sales.uncounted to ${role} |`,
      )
    } finally {
      await ailing.sql.unsafe(`drop owned by ${role}; drop role ${role}; drop table sales.uncounted`)
    }
  })

  it('asks nobody for what the role may not do, and says which grant is missing', async () => {
    const role = `helper_${aged}`
    await ailing.sql.unsafe(
      `create role ${role} login password 'x'; grant pg_monitor to ${role}; grant usage on schema sales to ${role}`,
    )
    const url = new URL(ailing.url)
    url.username = role
    url.password = 'x'
    const asHelper = (template: string, inputs: JsonObject) => runDbTemplate(template, url.href, inputs)
    try {
      for (const action of ['vacuum', 'analyze', 'reindex'])
        await expect(asHelper('maintenance', { table: 'sales.dead', action })).rejects.toThrow(
          new RegExp(
            `^role ${role} may not ${action} sales.dead, which belongs to postgres: +grant postgres to ${role}`,
          ),
        )
      await expect(asHelper('end-session', { pid: ailing.chain[3] ?? 0, action: 'terminate' })).rejects.toThrow(
        'a session of postgres, a superuser',
      )
      if (aged) return
      await ailing.sql.unsafe(`grant pg_maintain to ${role}`)
      const done = await asHelper('maintenance', { table: 'sales.dead', action: 'analyze', max_lock_age_s: 9_999 })
      expect(done.steps['act']?.outputs['warnings']).toEqual([])
    } finally {
      await ailing.sql.unsafe(`drop owned by ${role}; drop role ${role}`)
    }
  })

  it('says that a role without pg_monitor may not see whose process it is', async () => {
    const role = `blind_${aged}`
    await ailing.sql.unsafe(`create role ${role} login password 'x'`)
    const url = new URL(ailing.url)
    url.username = role
    url.password = 'x'
    try {
      await expect(
        runDbTemplate('end-session', url.href, {
          pid: ailing.chain[0] ?? 0,
          action: 'terminate',
          backend_start: '2026-01-01',
        }),
      ).rejects.toThrow(`role ${role} may not see what process ${ailing.chain[0]} is: grant pg_monitor to it`)
    } finally {
      await ailing.sql.unsafe(`drop role ${role}`)
    }
  })

  it('never advises to drop both of two indexes, names each once, and says since when use is counted', async () => {
    await ailing.sql.unsafe(`
      create table sales.alike with (autovacuum_enabled = false) as select n as id, n as other from generate_series(1, 150000) n;
      create index alike_one on sales.alike (id);
      create index alike_two on sales.alike (id);
      create index alike_other on sales.alike (other)`)
    await ailing.sql.unsafe('delete from sales.alike where id > 15000')
    await ailing.sql.unsafe('vacuum (analyze) sales.alike')
    try {
      const checked = await run('maintenance-check', { long_transaction_s: 9_999 })
      const found = (checked.outputs['findings'] as { finding: string; todo: string }[]).filter(({ finding }) =>
        finding.includes('sales.alike'),
      )
      const drops = found.filter(({ todo }) => todo.includes('DROP INDEX CONCURRENTLY sales.alike_'))
      expect(drops.map(({ todo }) => todo.replace(/.*DROP INDEX CONCURRENTLY /, '')).sort()).toEqual([
        'sales.alike_other',
        'sales.alike_two',
      ])
      expect(checked.steps['measured_indexes']?.outputs.rows.map(({ relation }) => relation)).toContain(
        'sales.alike_one',
      )
      expect(found.filter(({ finding }) => /alike_one: .* is bloat .*estimated/.test(finding))).toEqual([])
      expect(first.steps['server']?.outputs.rows[0]?.['counted_since']).toBe(
        'the statistics began (no reset is on record, but a crash empties them)',
      )
      expect(checked.report).toContain(
        'No transaction and no prepared transaction older than 9999 s, no replication slot that lags.',
      )
    } finally {
      await ailing.sql.unsafe('drop table sales.alike')
    }
  })

  it('vacuums a table behind a gate that names lock, size and time', async () => {
    const done = await run('maintenance', { table: 'sales.dead', action: 'vacuum' })
    expect(done.outputs).toMatchObject({ dead_before: '33000', dead_after: '0' })
    expect(done.shown[0]?.command).toBe('VACUUM sales.dead')
    expect(done.shown[0]?.summary).toMatch(
      /^VACUUM sales\.dead on maintenance, without a transaction; takes ShareUpdateExclusiveLock: reads and writes go on; .* sales\.dead is \d+ kB with \d+ kB of indexes; about a second, an estimate at 50 MB\/s$/,
    )
    expect(done.report).toContain('| Dead rows | 33000 | 0 |')
    expect(done.report).toContain('The file did not shrink')
  })

  it('names what a failed REINDEX leaves behind, finds it again, and removes it', async () => {
    const failing = { table: 'sales."Twin"', action: 'reindex', max_lock_age_s: 9_999, lock_timeout: '100ms' }
    await expect(run('maintenance', failing)).rejects.toMatchObject({
      code: 'lock_timeout',
      retryable: false,
      message: expect.stringContaining('DROP INDEX CONCURRENTLY sales."Twin_ccnew"'),
      details: { invalid_indexes: ['sales."Twin_ccnew"'] },
    })
    expect(findingOf(await check(), 'index sales."Twin_ccnew" of sales.sound is invalid')?.todo).toContain(
      'db/drop-invalid-index, index sales."Twin_ccnew"',
    )
    await expect(run('drop-invalid-index', { index: 'sales."Twin"' })).rejects.toThrow('is valid and is left alone')
  })

  it('stops a REINDEX that would wait for an old transaction', async () => {
    const inputs = { table: 'sales.sound', action: 'reindex', max_lock_age_s: 0 }
    await expect(run('maintenance', inputs)).rejects.toThrow(/is held by process \d+ .* with an open transaction for/)
  })

  it('ends the root of the chain, and no other that got its number', async () => {
    const [root = 0, second = 0] = ailing.chain
    const other = { pid: root, action: 'terminate', backend_start: '2001-01-01 00:00:00+00' }
    await expect(run('end-session', other)).rejects.toThrow(
      `there is no session with process ${root} that began at 2001`,
    )
    await expect(run('end-session', { pid: root, action: 'cancel' })).rejects.toThrow('terminate it instead')
    const canceled = await run('end-session', { pid: ailing.chain[3] ?? 0, action: 'cancel' })
    expect(canceled.outputs['signalled']).toBe(true)
    expect(ofChain(canceled, 'waiting')).toHaveLength(3)
    expect(ofChain(canceled, 'still_waiting')).toHaveLength(2)
    const ended = await run('end-session', { pid: root, action: 'terminate' })
    expect(ended.outputs).toEqual({
      signalled: true,
      waiting_before: ended.steps['waiting']?.outputs.row_count,
      waiting_after: ended.steps['still_waiting']?.outputs.row_count,
    })
    expect(ofChain(ended, 'waiting')).toHaveLength(2)
    expect(ended.report).toContain('The signal was given. The session is gone.')
    expect(ended.shown[0]?.summary).toMatch(
      new RegExp(
        `^SELECT pg_terminate_backend on maintenance; the template says: process ${root} of user postgres \\(nightly-import, .*\\), idle in transaction, .*, others that wait for it: 2; `,
      ),
    )
    expect(ofChain(ended, 'still_waiting')).toMatchObject([{ blockers: String(second) }])
  })

  it('quotes names, and rebuilds and removes when the way is free', async () => {
    await ailing.release()
    await ailing.sql.unsafe(`create table sales."we""ird" (id int)`)
    expect((await run('maintenance', { table: 'sales."we""ird"', action: 'analyze' })).shown[0]?.command).toBe(
      'ANALYZE sales."we""ird"',
    )
    await expect(run('maintenance', { table: 'sales.Invoice', action: 'analyze' })).rejects.toThrow(
      'double quotes around capitals',
    )
    const [rebuilt] = (await run('maintenance', { table: 'sales."Invoice"', action: 'reindex' })).shown
    expect(rebuilt?.command).toBe('REINDEX TABLE CONCURRENTLY sales."Invoice"')
    expect(rebuilt?.summary).toContain('REINDEX CONCURRENTLY sales."Invoice" on maintenance')
    expect((await run('drop-invalid-index', { index: 'sales."Twin_ccnew"' })).outputs).toEqual({ removed: true })
  })
}
