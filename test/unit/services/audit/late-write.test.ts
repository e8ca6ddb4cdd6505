import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ChainHead, chainRecord, GENESIS } from '#core/audit/chain.ts'
import type { AuditDraft } from '#core/audit/types.ts'
import { findLateWrite } from '#services/audit/late-write.ts'
import { draft } from '#test/unit/core/audit/drafts.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

function chain(from: ChainHead, drafts: AuditDraft[]) {
  let head = from
  const lines = drafts.map((each) => {
    const { record, line } = chainRecord(head, each, sha256)
    head = { seq: record.seq, hash: record.hash }
    return { line, head }
  })
  return { lines, head, bytes: Buffer.from(lines.map(({ line }) => `${line}\n`).join('')) }
}

const of = (...numbers: number[]) => numbers.map((n) => draft(n))
/** Three records of the writer before, then two of its successor. */
const shared = chain(GENESIS, of(1, 2, 3))
const successor = chain(shared.head, of(4, 5))
const log = [...shared.lines, ...successor.lines]

/** A database that knows these drafts, and the places of the log. */
const outboxOf = (known: AuditDraft[]) => ({
  among: async (ids: string[]) =>
    known.filter(({ id }) => ids.includes(id)).map((each, id) => ({ id, draft: each, seq: null, hash: null })),
  marks: async (after: number, to: number) =>
    new Map(log.filter(({ head }) => head.seq > after && head.seq <= to).map(({ head }) => [head.seq, head.hash])),
})
const find = (bytes: Buffer, known = of(1, 2, 3, 4, 5, 6, 7)) =>
  findLateWrite({ outbox: outboxOf(known), sha256 }, bytes, successor.head)

test('what a writer before chained behind a record of the log, of drafts that the database has, came too late', async () => {
  // in another order than its successor, or just behind it
  expect(await find(chain(shared.head, of(5, 4)).bytes)).toEqual({ from_seq: 4, records: 2 })
  expect(await find(chain(successor.head, of(6, 7)).bytes)).toEqual({ from_seq: 6, records: 2 })
  expect(await find(chain(GENESIS, of(1)).bytes)).toEqual({ from_seq: 1, records: 1 })
})

test.each([
  ['nothing', Buffer.alloc(0)],
  ['something that is no record', Buffer.from('{"seq":4}\n')],
  ['half a record', chain(shared.head, of(5)).bytes.subarray(0, -10)],
  ['a record of a draft that the database does not have', chain(shared.head, of(5, 99)).bytes],
  ['a record that was changed', Buffer.from(chain(shared.head, of(5)).bytes.toString().replace('"ws_', '"wx_'))],
  ['a record that follows none of the log', chain({ seq: 3, hash: 'f'.repeat(64) }, of(5)).bytes],
  ['records behind a gap', chain({ seq: 7, hash: 'f'.repeat(64) }, of(6)).bytes],
  ['records of two chains', Buffer.concat([chain(shared.head, of(4)).bytes, chain(shared.head, of(5)).bytes])],
])('%s is not, and is left for a person to look at', async (_case, bytes) => {
  expect(await find(bytes)).toBeUndefined()
})
