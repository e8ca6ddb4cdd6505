import { type ChainHead, chainRecord, type Sha256 } from '#core/audit/chain.ts'
import {
  type AuditProblem,
  differingRecord,
  firstDifference,
  missingRecords,
  unknownRecords,
} from '#core/audit/problem.ts'
import type { AuditDraft, AuditSink } from '#core/audit/types.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { LeaseToken } from '#core/lease/lease.ts'
import type { AuditOutbox } from '#store/audit/audit-outbox.ts'

/** This many records before the last common one are compared at once; the rest is left to the running check. */
const COMPARED = 1_000
const CHUNK = 1_000

export interface SettleDeps {
  outbox: AuditOutbox
  token: LeaseToken
  sha256: Sha256
  /** a record about the log itself */
  draft(action: `sink.${string}`, data: JsonObject): AuditDraft
}

/**
 * Reconciles file and database before anything is acknowledged. Records that a killed writer chained without marking are marked; missing
 * ones at the file's end are written again from the database, and recorded. Any other difference is returned as a problem, and then nothing
 * was changed.
 */
export async function settleLog(deps: SettleDeps, sink: AuditSink): Promise<AuditProblem | undefined> {
  const head = await sink.ready()
  const last = await deps.outbox.lastMark()
  const common = Math.min(head.seq, last.seq)
  const from = Math.max(0, common - COMPARED)
  const stored = await sink.idsAfter(from, common - from)
  const difference = firstDifference(stored, await deps.outbox.marks(from, common))
  if (difference !== undefined) return difference
  return head.seq < last.seq ? await writeAgain(deps, sink, head, last) : await markChained(deps, sink, last, head)
}

/** Every draft is chained on trial first: unless all of them get their recorded hashes, nothing is written. */
async function writeAgain(
  { outbox, token, sha256, draft }: SettleDeps,
  sink: AuditSink,
  head: ChainHead,
  last: ChainHead,
): Promise<AuditProblem | undefined> {
  for (let at = head; at.seq < last.seq; ) {
    const rows = await outbox.chainedAfter(at.seq, CHUNK)
    if (rows.length === 0) return missingRecords(head, last.seq, at.seq + 1)
    for (const row of rows) {
      const { record } = chainRecord(at, row.draft, sha256)
      if (record.seq !== row.seq || record.hash !== row.hash) return missingRecords(head, last.seq, at.seq + 1)
      at = { seq: row.seq, hash: row.hash }
    }
  }
  // it is queued behind the missing records, so that no crash leaves a healed log without it
  await outbox.appendOnce(draft('sink.healed', { after_seq: head.seq, to_seq: last.seq, to_hash: last.hash }), token)
  for (let at = head.seq; at < last.seq; ) {
    const rows = await outbox.chainedAfter(at, CHUNK)
    const written = await sink.append(rows.map((row) => row.draft))
    at = written.at(-1)?.seq ?? last.seq
  }
  return undefined
}

/**
 * Records behind the last mark are a lost writer's, if the database has each of them word for word: waiting, or marked with that place in
 * the meantime.
 */
async function markChained(
  { outbox, token, sha256 }: SettleDeps,
  sink: AuditSink,
  last: ChainHead,
  head: ChainHead,
): Promise<AuditProblem | undefined> {
  for (let at = last; at.seq < head.seq; ) {
    const stored = await sink.idsAfter(at.seq, CHUNK)
    const rows = await outbox.among(
      stored.map(({ id }) => id),
      at.seq,
    )
    const byDraft = new Map(rows.map((row) => [row.draft.id, row]))
    const places: { id: number; seq: number; hash: string }[] = []
    for (const { id, seq, hash } of stored) {
      const row = byDraft.get(id)
      if (row === undefined) return unknownRecords(seq, head.seq)
      if (chainRecord(at, row.draft, sha256).record.hash !== hash) return differingRecord(seq)
      if (row.seq !== null && (row.seq !== seq || row.hash !== hash)) return differingRecord(seq)
      places.push({ id: row.id, seq, hash })
      at = { seq, hash }
    }
    if (places.length === 0) return unknownRecords(at.seq + 1, head.seq)
    await outbox.mark(places, token)
  }
  return undefined
}
