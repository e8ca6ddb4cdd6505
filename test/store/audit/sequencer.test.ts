import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { AuditDraft, AuditSink } from '#core/audit/types.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-range.ts'
import { createLogger } from '#platform/logger.ts'
import { asJson } from '#store/db.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { acknowledge, createTestLog, lineUp, testDraft } from '#test/support/audit-log.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'

const log = createLogger({ level: 'silent', name: 'test' })
let home: string

const database = testDatabase()
const runs = fileFixture(() => createRunStore(database.db))
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-audit-'))
  const owner = await import('#store/db.ts').then(({ createDb }) => createDb(database.owner_url, { max: 1 }))
  await owner`truncate audit_outbox restart identity`
  await owner.end()
  return () => rm(home, { recursive: true })
})

const sequencer = (wrap: (sink: AuditSink) => AuditSink = (sink) => sink) => createTestLog(database, home, { wrap })

async function chain() {
  const text = await readFile(join(home, 'audit.jsonl'), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; event: AuditDraft })
}

const unmarked = async () =>
  (await database.db<{ n: number }[]>`select count(*)::int as n from audit_outbox where seq is null`)[0]?.n

describe('the audit sequencer', () => {
  test('whatever is acknowledged stands in the chain, once, in the order of the line', async () => {
    const one = sequencer()
    await one.start()
    await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const mine = await lineUp(database, [testDraft(n), testDraft(n)])
        await acknowledge(one, mine)
        if (n % 10 === 0) await runs.appendAudit([testDraft(1_000 + n)])
      }),
    )
    await one.stop()
    const records = await chain()
    const places = await database.db<
      { id: string; seq: number }[]
    >`select draft ->> 'id' as id, seq from audit_outbox where seq is not null`
    expect(new Set(records.map((record) => record.event.id)).size).toBe(records.length)
    expect(records.length).toBeGreaterThanOrEqual(400)
    expect((await verifyFile(join(home, 'audit.jsonl'), {})).broken).toBeUndefined()
    for (const { id, seq } of places) expect(records[seq - 1]?.event.id).toBe(id)
  })

  test('what was committed before a record stands before it, no matter how late the one before was numbered', async () => {
    const one = sequencer()
    await one.start()
    const early = await database.db.reserve()
    await early`begin`
    await early`insert into audit_outbox (draft) values (${early.json(asJson(testDraft(1)))})`
    await acknowledge(one, await lineUp(database, [testDraft(2)]))
    await early`commit`
    early.release()
    await acknowledge(one, await lineUp(database, [testDraft(3)]))
    await one.stop()
    expect((await chain()).map((record) => record.event.data['n'])).toEqual([2, 1, 3])
  })

  test('two processes make one chain: the second waits for the leader, and takes over when it goes', async () => {
    const first = sequencer()
    const second = sequencer()
    await first.start()
    await second.start()
    expect([first.leading(), second.leading()]).toEqual([true, false])
    await Promise.all(
      [first, second].map(async (each) => acknowledge(each, await lineUp(database, [testDraft(1), testDraft(2)]))),
    )
    await first.stop()
    await acknowledge(second, await lineUp(database, [testDraft(3)]))
    expect(second.leading()).toBe(true)
    await second.stop()
    expect(await chain()).toHaveLength(5)
  })

  test('a leader that dies between the file and the mark is recovered without a second record', async () => {
    const drafts = await lineUp(database, [testDraft(1), testDraft(2), testDraft(3)])
    const sink = await openFileSink({ path: join(home, 'audit.jsonl'), log })
    await sink.append(drafts.slice(0, 2).map((each) => each.draft))
    await sink.close()
    const next = sequencer()
    await next.start()
    await acknowledge(next, drafts.slice(2))
    await next.stop()
    expect((await chain()).map((record) => record.event.data['n'])).toEqual([1, 2, 3])
    expect(await unmarked()).toBe(0)
  })

  test('a sink that refuses acknowledges nothing; what waited is written when it recovers, which is said', async () => {
    let refuse = true
    const said: string[] = []
    const one = createTestLog(database, home, {
      wrap: (sink) => ({
        ...sink,
        append: (drafts) => (refuse ? Promise.reject(new Error('disk full')) : sink.append(drafts)),
      }),
      onError: (message) => said.push(message),
      onWarning: (message) => said.push(message),
    })
    await one.start()
    const waiting = await lineUp(database, [testDraft(1)])
    await expect(acknowledge(one, waiting)).rejects.toMatchObject({ code: 'audit_unavailable' })
    expect(one.healthy()).toBe(false)
    refuse = false
    await acknowledge(one, await lineUp(database, [testDraft(2)]))
    await one.stop()
    expect((await chain()).map((record) => record.event.data['n'])).toEqual([1, 2])
    expect(said).toEqual([
      'the audit chain cannot be written: nothing will act until it can',
      'the audit chain is written again',
    ])
  })

  test('a lease that is lost before the file is open is not led with, and holds up nobody', async () => {
    let losses = 1
    const logged: unknown[] = []
    const opened = (lose: () => void) => {
      if (losses-- < 1) return
      try {
        lose()
      } catch (error) {
        logged.push(error)
      }
    }
    const one = createTestLog(database, home, { opened })
    const next = sequencer()
    await one.start()
    expect([logged, one.leading()]).toEqual([[], false])
    await next.start()
    expect(next.leading()).toBe(true)
    await acknowledge(next, await lineUp(database, [testDraft(1)]))
    await next.stop()
    await acknowledge(one, await lineUp(database, [testDraft(2)]))
    await one.stop()
    expect(await chain()).toHaveLength(2)
  })

  test('a log that cannot be closed when its lease is lost is only told of', async () => {
    let lose = () => {}
    let fails = true
    const errors: string[] = []
    const one = createTestLog(database, home, {
      onError: (message) => errors.push(message),
      opened: (each) => {
        lose = each
      },
      wrap: (sink) => ({
        ...sink,
        close: async () => {
          await sink.close()
          if (fails) throw new Error('disk gone')
        },
      }),
    })
    await one.start()
    lose()
    expect(one.leading()).toBe(false)
    await expect.poll(() => errors).toEqual(['the audit log was not closed'])
    fails = false
    await acknowledge(one, await lineUp(database, [testDraft(1)]))
    await one.stop()
  })
})
