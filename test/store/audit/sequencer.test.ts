import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { LinedUp } from '#core/audit/line.ts'
import type { AuditDraft, AuditSink } from '#core/audit/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { verifyFile } from '#platform/audit-sink/verify-file.ts'
import { createLogger } from '#platform/logger.ts'
import { createAuditOutbox } from '#store/audit-outbox.ts'
import { tryLease } from '#store/lock.ts'
import { createRunStore, type RunStore } from '#store/runs.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { ids } from '#test/support/run-drafts.ts'
import { createAuditSequencer } from '#workers/loops/audit-sequencer.ts'

const log = createLogger({ level: 'silent', name: 'test' })
let database: TestDatabase
let runs: RunStore
let home: string

beforeAll(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  runs = createRunStore(database.db)
})
afterAll(() => database.drop())
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'svc-audit-'))
  const owner = await import('#store/db.ts').then(({ createDb }) => createDb(database.owner_url, { max: 1 }))
  await owner`truncate audit_outbox restart identity`
  await owner.end()
  return () => rm(home, { recursive: true })
})

const draft = (n: number): AuditDraft => ({
  id: ids.next('audit'),
  ts: '2026-01-01T00:00:00.000Z',
  category: 'lineage',
  action: 'test.written',
  workspace_id: DEFAULT_WORKSPACE_ID,
  actor: { type: 'system', id: 'test', auth: 'none' },
  subject: { type: 'test', id: String(n) },
  data: { n },
})

async function lineUp(drafts: AuditDraft[]): Promise<LinedUp[]> {
  const places = await runs.appendAudit(drafts)
  return drafts.flatMap((each) => {
    const place = places.find((entry) => entry.draft_id === each.id)
    return place === undefined ? [] : [{ outbox_id: place.outbox_id, draft: each }]
  })
}

function sequencer(wrap: (sink: AuditSink) => AuditSink = (sink) => sink) {
  return createAuditSequencer({
    outbox: createAuditOutbox(database.db),
    log,
    lead: async (onLost) => {
      const lease = await tryLease(database.owner_url, 'audit', onLost)
      if (lease === undefined) return undefined
      const sink = wrap(await openFileSink({ path: join(home, 'audit.jsonl'), log }))
      const close = async () => {
        await sink.close()
        await lease.release()
      }
      return { ...sink, close }
    },
  })
}

/** As an activity does: hands over what it has committed, then waits for it. */
async function acknowledge(one: ReturnType<typeof sequencer>, drafts: LinedUp[]): Promise<void> {
  one.line.offer(drafts)
  await one.line.acknowledged(drafts.map((each) => each.outbox_id))
}

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
        const mine = await lineUp([draft(n), draft(n)])
        await acknowledge(one, mine)
        if (n % 10 === 0) await runs.appendAudit([draft(1_000 + n)])
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

  test('two processes make one chain: the second waits for the leader, and takes over when it goes', async () => {
    const first = sequencer()
    const second = sequencer()
    await first.start()
    await second.start()
    expect([first.leading(), second.leading()]).toEqual([true, false])
    await Promise.all([first, second].map(async (each) => acknowledge(each, await lineUp([draft(1), draft(2)]))))
    await first.stop()
    await acknowledge(second, await lineUp([draft(3)]))
    expect(second.leading()).toBe(true)
    await second.stop()
    expect(await chain()).toHaveLength(5)
  })

  test('a leader that dies between the file and the mark is recovered without a second record', async () => {
    const drafts = await lineUp([draft(1), draft(2), draft(3)])
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

  test('a sink that refuses acknowledges nothing, and what waited is written when it recovers', async () => {
    let refuse = true
    const one = sequencer((sink) => ({
      ...sink,
      append: (drafts) => (refuse ? Promise.reject(new Error('disk full')) : sink.append(drafts)),
    }))
    await one.start()
    const waiting = await lineUp([draft(1)])
    await expect(acknowledge(one, waiting)).rejects.toMatchObject({ code: 'audit_unavailable' })
    expect(one.healthy()).toBe(false)
    refuse = false
    await acknowledge(one, await lineUp([draft(2)]))
    await one.stop()
    expect((await chain()).map((record) => record.event.data['n'])).toEqual([1, 2])
  })
})
