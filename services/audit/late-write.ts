import { type ChainHead, chainRecord, GENESIS, readEnvelope, type Sha256 } from '#core/audit/chain.ts'
import type { AuditOutbox } from '#store/audit/audit-outbox.ts'

interface LateWrite {
  from_seq: number
  records: number
}

/**
 * Finds records that a paused writer appended behind its successor's when it resumed: whole records that follow one of the log, in an
 * unbroken chain, of drafts that the database has word for word. They were acknowledged to no caller. Anything else is left alone, because
 * it may have another author.
 */
export async function findLateWrite(
  { outbox, sha256 }: { outbox: Pick<AuditOutbox, 'among' | 'marks'>; sha256: Sha256 },
  bytes: Uint8Array,
  head: ChainHead,
): Promise<LateWrite | undefined> {
  const lines = Buffer.from(bytes).toString('utf8').split('\n')
  if (lines.pop() !== '') return undefined
  const records = lines.map((line) => ({ line, ...readRecord(line) }))
  const [first] = records
  if (first?.seq === undefined || first.seq > head.seq + 1) return undefined
  const base = await recordAt({ outbox }, first.seq - 1, head)
  if (base === undefined) return undefined
  const rows = await outbox.among(
    records.flatMap(({ id }) => id ?? []),
    base.seq,
  )
  const drafts = new Map(rows.map(({ draft }) => [draft.id, draft]))
  let at = base
  for (const { line, id = '' } of records) {
    const draft = drafts.get(id)
    const chained = draft && chainRecord(at, draft, sha256)
    if (chained?.line !== line) return undefined
    at = chained.record
  }
  return { from_seq: first.seq, records: records.length }
}

function readRecord(line: string): { id: string; seq: number } | undefined {
  const stored = readEnvelope(line)
  if (stored === undefined) return undefined
  try {
    const { id }: { id?: unknown } = JSON.parse(stored.event_text)
    return typeof id === 'string' ? { id, seq: stored.seq } : undefined
  } catch {
    return undefined
  }
}

async function recordAt(
  { outbox }: { outbox: Pick<AuditOutbox, 'marks'> },
  seq: number,
  head: ChainHead,
): Promise<ChainHead | undefined> {
  if (seq === 0) return GENESIS
  if (seq === head.seq) return head
  const hash = (await outbox.marks(seq - 1, seq)).get(seq)
  return hash === undefined ? undefined : { seq, hash }
}
