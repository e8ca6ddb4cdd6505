import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { poll } from '#platform/embedded/processes.ts'
import { type AuditOutbox, createAuditOutbox } from '#store/audit/audit-outbox.ts'
import { createTestLog, lineUp, testDraft } from '#test/support/audit-log.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { PATIENCE } from '#test/support/patience.ts'

let database: TestDatabase
let outbox: AuditOutbox
let home: string

beforeEach(async () => {
  database = await createTestDatabase(inject('postgres_url'))
  outbox = createAuditOutbox(database.db)
  home = await mkdtemp(join(tmpdir(), 'svc-audit-'))
})
afterEach(async () => {
  await database.drop()
  await rm(home, { recursive: true })
})

async function startSequencer(over: Partial<AuditOutbox>) {
  const one = createTestLog(database, home, { outbox: over })
  await one.start()
  return one
}

const queued = (count: number) =>
  lineUp(
    database,
    Array.from({ length: count }, (_, n) => testDraft(n)),
  )

const chainedIds = async () =>
  (await readFile(join(home, 'audit.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event.id as string)

test('a record whose mark arrives while the line is being read is not chained a second time', async () => {
  const first = await queued(1)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let marked: Promise<void> = Promise.resolve()
  const one = await startSequencer({
    mark(places, token) {
      marked = held.then(() => outbox.mark(places, token))
      return marked
    },
    async waiting(limit, except) {
      const rows = await outbox.waiting(limit, except)
      if (rows.length < 2) return rows
      // the mark of the first record overtakes this answer
      release()
      await marked
      await new Promise((resolve) => setImmediate(resolve))
      return rows
    },
  })
  one.line.offer(first)
  await one.line.acknowledged(first.map((each) => each.outbox_id))
  const later = await queued(2)
  one.line.offer(later.slice(1))
  await one.line.acknowledged(later.map((each) => each.outbox_id))
  await one.stop()
  expect(await chainedIds()).toEqual([...first, ...later].map((each) => each.draft.id))
})

test('anyone who asks for a record that is chained and marked in the same instant is answered', async () => {
  const one = await startSequencer({
    async unmarkedAmong(asked) {
      const unmarked = await outbox.unmarkedAmong(asked)
      await poll(async () => (await outbox.unmarkedAmong(asked)).length === 0, PATIENCE.timeout)
      await new Promise((resolve) => setImmediate(resolve))
      return unmarked
    },
  })
  const drafts = await queued(1)
  await one.line.acknowledged(drafts.map((each) => each.outbox_id))
  await one.stop()
  expect(await chainedIds()).toEqual(drafts.map((each) => each.draft.id))
})

test('marks that are late hold nothing up: more than a whole batch is acknowledged without one', async () => {
  let away = true
  const one = await startSequencer({
    mark: async (...args) => {
      if (away) throw new Error('canceling statement due to lock timeout')
      return outbox.mark(...args)
    },
  })
  for (let batch = 0; batch < 8; batch += 1) {
    const rows = await lineUp(
      database,
      Array.from({ length: 100 }, (_, n) => testDraft(batch * 100 + n)),
    )
    one.line.offer(rows)
    await one.line.acknowledged(rows.map((each) => each.outbox_id))
  }
  expect((await chainedIds()).length).toBe(800)
  away = false
  await one.stop()
})
