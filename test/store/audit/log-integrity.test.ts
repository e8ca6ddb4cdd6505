import { mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditRecord } from '#core/audit/types.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createLogger } from '#platform/logger.ts'
import { acceptLog } from '#services/audit/accept-log.ts'
import { createDb } from '#store/db.ts'
import { acknowledge, createTestLog, lineUp, type TestLog, testDraft } from '#test/support/audit-log.ts'
import { changeBytes } from '#test/support/change-bytes.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { ids } from '#test/support/run-drafts.ts'
import { testLeaseToken } from '#test/support/test-lease-token.ts'

const RECORDS = 60
const ODD = {
  text: 'a"\\\u2028\u{1f600}\u0001',
  numbers: [0.1 + 0.2, 1e21, 5e-324, -0, 1e-7, 2 ** 53],
  none: undefined,
}
const log = createLogger({ level: 'silent', name: 'test' })

let path: string
/** the log as it was left */
let before: string
const running: TestLog[] = []

const database = testDatabase()
const owner = fileFixture(() => createDb(database.owner_url, { max: 1 }))
beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-audit-'))
  path = join(home, 'audit.jsonl')
  await owner`truncate audit_outbox restart identity`
  await owner`update audit_file set problem = null, problem_seq = null, passed_seq = null, passed_at = null, findings = 0`
  const first = createTestLog(database, home)
  await first.start()
  const drafts = Array.from({ length: RECORDS }, (_, n) => ({ ...testDraft(n), data: { n, ...ODD } as never }))
  await acknowledge(first, await lineUp(database, drafts))
  await first.stop()
  before = await readFile(path, 'utf8')
  return async () => {
    for (const one of running.splice(0)) {
      await one.check.stop()
      await one.stop()
    }
    await rm(home, { recursive: true })
  }
})

const home = () => join(path, '..')
const linesOf = (text: string) => text.trimEnd().split('\n')
const written = async (): Promise<AuditRecord[]> =>
  linesOf(await readFile(path, 'utf8')).map((line) => JSON.parse(line) as AuditRecord)

/** One record more, asked for as by an effect that waits for it. */
const oneMore = async (one: TestLog) => acknowledge(one, await lineUp(database, [testDraft(RECORDS)]))

async function started(): Promise<TestLog> {
  const one = createTestLog(database, home())
  running.push(one)
  await one.start()
  return one
}

/** The log is what it was, byte for byte; what follows is the story of it and the new record. */
async function expectHealed(one: TestLog, story: string[]): Promise<AuditRecord[]> {
  await oneMore(one)
  expect([one.leading(), one.healthy()]).toEqual([true, true])
  await one.stop()
  expect((await readFile(path, 'utf8')).slice(0, before.length)).toBe(before)
  expect((await verifyFile(path)).broken).toBeUndefined()
  const later = (await written()).slice(RECORDS)
  expect(later.map(({ event }) => event.action)).toEqual([...story, 'test.written'])
  expect((await one.file.read()).problem).toBeNull()
  return later
}

/** Nothing is acknowledged, nothing is written, and it says why. */
async function expectRefused(one: TestLog, kind: string, seq: number): Promise<void> {
  const written = await readFile(path, 'utf8').catch(() => '')
  await expect(oneMore(one)).rejects.toMatchObject({
    code: 'audit_unavailable',
    details: { audit_problem: { kind, seq } },
  })
  expect([one.leading(), one.healthy()]).toEqual([false, false])
  expect(await one.file.read()).toMatchObject({ problem: expect.stringMatching(/audit log/i), problem_seq: seq })
  expect(await readFile(path, 'utf8').catch(() => '')).toBe(written)
}

describe('a log that lacks what the database has on record', () => {
  test.each([
    ['its tail was cut', () => write(linesOf(before).slice(0, 53)), 53],
    ['it was cut within a record', () => truncate(path, before.length - 100), 59],
    ['it is empty', () => truncate(path, 0), 0],
    ['it is gone', () => rm(path), 0],
    ['an older copy was put in its place', () => writeFile(path, `${linesOf(before).slice(0, 10).join('\n')}\n`), 10],
  ])('is written again to the same bytes, on record: %s', async (_case, tamper, after_seq) => {
    await tamper()
    const [healed] = await expectHealed(await started(), ['sink.healed'])
    expect(healed?.event).toMatchObject({ category: 'sink', data: { after_seq, to_seq: RECORDS } })
  })

  test('is refused when the database no longer has all of it, and nothing is written', async () => {
    await owner`delete from audit_outbox where seq = 40`
    await rm(path)
    const one = await started()
    await expectRefused(one, 'missing', 40)
    await writeFile(path, before)
    // the file was put back from a backup; what the database lost of it is for a person to accept
    const again = await reopened(one)
    await expectRefused(again, 'unknown', 40)
    await again.stop()
  })

  test('is refused when a record of the database is another than the one that was chained', async () => {
    await owner`alter table audit_outbox disable trigger audit_outbox_keep_chained`
    await owner`update audit_outbox set draft = jsonb_set(draft, '{data,n}', '7777') where seq = 58`
    await owner`alter table audit_outbox enable trigger audit_outbox_keep_chained`
    await truncate(path, 0)
    const one = await started()
    await expectRefused(one, 'missing', 58)
    await one.stop()
  })

  test('the service’s own role cannot change a record that was chained, nor take one out', async () => {
    await expect(database.db`update audit_outbox set draft = '{}' where seq = 5`).rejects.toThrow(/is in the chain/)
    await expect(database.db`update audit_outbox set seq = null, hash = null`).rejects.toThrow(/is in the chain/)
    await expect(database.db`delete from audit_outbox where seq = 5`).rejects.toThrow(/permission denied/)
  })
})

async function reopened(one: TestLog): Promise<TestLog> {
  await one.stop()
  return await started()
}

describe('a log that says something else than the database', () => {
  test.each([
    ['a record was changed in place', () => write(linesOf(before).with(29, changed(30))), 'broken', 30],
    ['a record is missing in the middle', () => write(linesOf(before).toSpliced(29, 1)), 'broken', 30],
    ['it is another chain', () => foreignLog(RECORDS), 'differs', 1],
    ['it goes on from an older copy', () => foreignTail(50, 30), 'differs', 51],
    ['it has a tail of somebody else’s', () => foreignTail(RECORDS, 3), 'unknown', 61],
  ])('is refused, and acts again once the file is moved away: %s', async (_case, tamper, kind, seq) => {
    await tamper()
    const one = await started()
    await expectRefused(one, kind, seq)
    const again = await reopened(one)
    await expectRefused(again, kind, seq)
    await rename(path, `${path}.evidence`)
    await expectHealed(await reopened(again), ['sink.refused', 'test.written', 'test.written', 'sink.healed'])
  })

  test('is refused when the database is older than it, and goes on once a person has accepted it', async () => {
    await owner`delete from audit_outbox where seq > 45`
    const one = await started()
    await expectRefused(one, 'unknown', 46)
    const accepted = await acceptLog(
      {
        outbox: one.outbox,
        token: await testLeaseToken(database.db),
        verify: (onRecord) => verifyFile(path, { onRecord }),
        ids,
        clock: Date.now,
      },
      { reason: 'restored last night’s backup', os_user: 'ann' },
    )
    expect(accepted).toEqual({ from_seq: 46, to_seq: RECORDS, records: 15 })
    const story = await expectHealed(await reopened(one), ['sink.refused', 'test.written', 'sink.accepted'])
    expect(story[2]?.event.data).toEqual({ reason: 'restored last night’s backup', os_user: 'ann', ...accepted })
    const hashes = (await written()).map(({ seq, hash }) => [seq, hash])
    expect(new Map(hashes as [number, string][])).toEqual(await one.outbox.marks(0, 1_000))
  })

  test('is accepted in few statements, also with what still waits for its place', async () => {
    const { outbox } = createTestLog(database, home())
    const first = RECORDS + 1
    const drafts = Array.from({ length: 2_500 }, (_, n) => testDraft(n))
    await lineUp(database, drafts.slice(990, 1_010))
    const chained = drafts.map((draft, n) => ({ draft, seq: first + n, hash: `hash ${n}` }))
    await outbox.adopt(chained, testDraft(-1), await testLeaseToken(database.db))
    expect(await outbox.chainedAfter(RECORDS, 3_000)).toEqual(chained)
    const [row] = await database.db<{ statements: number; waiting: number }[]>`
      select count(distinct cmin::text) filter (where seq >= ${first})::int as statements,
        count(*) filter (where seq is null)::int as waiting from audit_outbox`
    // the last of those that wait is what is said of it all
    expect(row).toEqual({ statements: 3, waiting: 1 })
  })

  test('is not accepted when it is broken, when it differs, or when there is nothing to accept', async () => {
    const accept = async () =>
      acceptLog(
        {
          outbox: createTestLog(database, home()).outbox,
          token: await testLeaseToken(database.db),
          verify: (onRecord) => verifyFile(path, { onRecord }),
          ids,
          clock: Date.now,
        },
        { reason: 'because', os_user: 'ann' },
      )
    await expect(accept()).rejects.toMatchObject({ code: 'conflict' })
    await foreignTail(50, 30)
    await expect(accept()).rejects.toMatchObject({ details: { audit_problem: { kind: 'differs', seq: 51 } } })
    await write(linesOf(before).with(29, changed(30)))
    await expect(accept()).rejects.toMatchObject({ details: { audit_problem: { kind: 'broken', seq: 30 } } })
  })
})

describe('the running check', () => {
  test('passes over the whole log again and again while it is written', async () => {
    const one = await started()
    one.check.start()
    const passed = () => one.file.read().then(({ passed_seq }) => (passed_seq ?? 0) >= RECORDS + 20)
    for (let n = 0; n < 20; n += 1) await oneMore(one)
    expect(await poll(passed, 10_000, 5)).toBe(true)
    expect(one.healthy()).toBe(true)
    await one.check.stop()
    await one.stop()
  })

  test.each([
    ['a byte changed', () => changeBytes(path, '"n":12,', '"n":13,'), 'broken', 13],
    ['a record changed and all behind it rehashed', () => foreignTail(20, 41), 'differs', 21],
    [
      'another file of the same length put in its place',
      () => replaced(before.replace('"n":3,', '"n":4,')),
      'broken',
      4,
    ],
  ])('finds %s, names the place, and nothing is acknowledged any more', async (_case, tamper, kind, seq) => {
    const one = await started()
    // in the middle of a pass over the file before, a new one breaks where that pass stands
    await tamper()
    one.check.start()
    expect(await poll(async () => (await one.file.read()).problem !== null, 10_000, 5)).toBe(true)
    await expectRefused(one, kind, seq)
    await one.check.stop()
    // a new process does not forget it, though the end of the log is sound
    const again = await reopened(one)
    await expectRefused(again, kind, seq)
    await rename(path, `${path}.evidence`)
    await expectHealed(await reopened(again), ['sink.refused', 'test.written', 'test.written', 'sink.healed'])
  })

  test.each([
    ['its tail was cut', () => truncate(path, before.length - 500)],
    ['it was deleted', () => rm(path)],
    ['an older copy was put in its place', () => replaced(`${linesOf(before).slice(0, 10).join('\n')}\n`)],
  ])('has the log written again without a restart when %s', async (_case, tamper) => {
    const one = await started()
    one.check.start()
    await tamper()
    expect(await poll(async () => (await one.file.read()).findings > 0 && one.leading(), 10_000, 5)).toBe(true)
    await one.check.stop()
    await expectHealed(one, ['sink.refused', 'sink.healed'])
  })

  test('finds what a start does not look at, and a new start does not forget it', async () => {
    const one = await started()
    for (let n = 0; n < 4; n += 1)
      await acknowledge(
        one,
        await lineUp(
          database,
          Array.from({ length: 700 }, () => ({ ...testDraft(n), data: { text: 'x'.repeat(300) } })),
        ),
      )
    const long = await readFile(path, 'utf8')
    await changeBytes(path, '"n":12,', '"n":13,')
    const next = await reopened(one)
    expect(next.leading()).toBe(true)
    next.check.start()
    expect(await poll(async () => (await next.file.read()).problem !== null, 20_000, 5)).toBe(true)
    await next.check.stop()
    const third = await reopened(next)
    await expectRefused(third, 'broken', 13)
    await writeFile(path, long)
    await oneMore(await reopened(third))
  })

  test('a log that was cut under a writer is written again at its next records', async () => {
    const one = await started()
    await truncate(path, before.length - 500)
    await expect(oneMore(one)).rejects.toMatchObject({ code: 'audit_unavailable' })
    expect(await poll(async () => (await one.file.read()).findings > 0 && one.leading(), 10_000, 5)).toBe(true)
    await expectHealed(one, ['test.written', 'sink.refused', 'sink.healed'])
  })
})

const changed = (seq: number) => linesOf(before)[seq - 1]?.replace(`"n":${seq - 1},`, '"n":9999,') ?? ''
const write = (lines: string[]) => writeFile(path, `${lines.join('\n')}\n`)

async function replaced(text: string): Promise<void> {
  await writeFile(`${path}.new`, text)
  await rename(`${path}.new`, path)
}

/** A sound chain of others. */
async function foreignLog(records: number): Promise<void> {
  await rm(path)
  await appendForeign(records)
}

/** The first records of ours, and sound ones of others behind them. */
async function foreignTail(own: number, records: number): Promise<void> {
  await writeFile(`${path}.tail`, `${linesOf(before).slice(0, own).join('\n')}\n`)
  await appendForeign(records, `${path}.tail`)
  await rename(`${path}.tail`, path)
}

async function appendForeign(records: number, to = path): Promise<void> {
  const sink = await openFileSink({ path: to, log })
  await sink.append(Array.from({ length: records }, (_, n) => testDraft(5_000 + n)))
  await sink.close()
}
