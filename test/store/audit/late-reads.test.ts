import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import type { LinedUp } from '#core/audit/line.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { openFileSink } from '#platform/audit-sink/file-sink.ts'
import { poll } from '#platform/embedded/processes.ts'
import { createLogger } from '#platform/logger.ts'
import { type AuditOutbox, createAuditOutbox } from '#store/audit-outbox.ts'
import { createRunStore } from '#store/runs.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { ids } from '#test/support/run-drafts.ts'
import { createAuditSequencer } from '#workers/loops/audit-sequencer.ts'

const log = createLogger({ level: 'silent', name: 'test' })
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
  const one = createAuditSequencer({
    outbox: { ...outbox, ...over },
    log,
    lead: () => openFileSink({ path: join(home, 'audit.jsonl'), log }),
  })
  await one.start()
  return one
}

async function lineUp(count: number): Promise<LinedUp[]> {
  const drafts = Array.from({ length: count }, (_, n): AuditDraft => {
    const subject = { type: 'test', id: String(n) }
    const actor = { type: 'system', id: 'test', auth: 'none' } as const
    const at = { ts: '2026-01-01T00:00:00.000Z', workspace_id: DEFAULT_WORKSPACE_ID }
    return { id: ids.next('audit'), category: 'lineage', action: 'test.written', actor, subject, data: {}, ...at }
  })
  const places = await createRunStore(database.db).appendAudit(drafts)
  return drafts.flatMap((draft) => {
    const place = places.find((entry) => entry.draft_id === draft.id)
    return place === undefined ? [] : [{ outbox_id: place.outbox_id, draft }]
  })
}

const chainedIds = async () =>
  (await readFile(join(home, 'audit.jsonl'), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).event.id as string)

test('a record whose mark arrives while the line is being read is not chained a second time', async () => {
  const first = await lineUp(1)
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let marked: Promise<void> = Promise.resolve()
  const one = await startSequencer({
    mark(places) {
      marked = held.then(() => outbox.mark(places))
      return marked
    },
    async waiting(limit) {
      const rows = await outbox.waiting(limit)
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
  const later = await lineUp(2)
  one.line.offer(later.slice(1))
  await one.line.acknowledged(later.map((each) => each.outbox_id))
  await one.stop()
  expect(await chainedIds()).toEqual([...first, ...later].map((each) => each.draft.id))
})

test('whoever asks for a record that is chained and marked in the same instant is answered', async () => {
  const one = await startSequencer({
    async unmarkedAmong(asked) {
      const unmarked = await outbox.unmarkedAmong(asked)
      await poll(async () => (await outbox.unmarkedAmong(asked)).length === 0, 10_000)
      await new Promise((resolve) => setImmediate(resolve))
      return unmarked
    },
  })
  const drafts = await lineUp(1)
  await one.line.acknowledged(drafts.map((each) => each.outbox_id))
  await one.stop()
  expect(await chainedIds()).toEqual(drafts.map((each) => each.draft.id))
})
