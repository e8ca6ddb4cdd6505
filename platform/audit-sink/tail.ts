import { GENESIS, readEnvelope } from '#core/audit/chain.ts'
import { lineStartFrom, readLines } from './read-lines.ts'
import type { ReadAt } from './sink-fs.ts'
import { type Verification, verifyRange } from './verify-range.ts'

const FIRST_WINDOW_BYTES = 1024 * 1024
const MIN_VERIFIED_RECORDS = 1000

/** Verifies at least the last 1000 records in front of `size`, without reading earlier ones. */
export const verifyTail = async (readAt: ReadAt, size: number): Promise<Verification> => {
  for (let window = FIRST_WINDOW_BYTES; ; window *= 4) {
    const from = await lineStartFrom(readAt, size - window, size)
    const tail = await verifyRange(readAt, { from, to: size, ...(from === 0 && { prev: GENESIS }) })
    if (from === 0 || tail.broken || tail.records >= MIN_VERIFIED_RECORDS) return tail
  }
}

/** Ids, sequence numbers and hashes of the records after `seq`, in order, at most `limit`, found from the end. */
export const idsAfter = async (readAt: ReadAt, size: number, seq: number, limit = Number.POSITIVE_INFINITY) => {
  if (limit <= 0) return []
  const found: { id: string; seq: number; hash: string }[] = []
  const from = await startBefore(readAt, size, seq + 1)
  await readLines(readAt, {
    from,
    to: size,
    onLine({ text }) {
      const stored = text === undefined ? undefined : readEnvelope(text)
      if (stored && stored.seq > seq) {
        const event: { id: string } = JSON.parse(stored.event_text)
        found.push({ id: event.id, seq: stored.seq, hash: stored.hash })
      }
      return found.length < limit
    },
  })
  return found
}

/** The offset of some line at or before the record `seq`. */
const startBefore = async (readAt: ReadAt, size: number, seq: number): Promise<number> => {
  for (let window = FIRST_WINDOW_BYTES; ; window *= 4) {
    const from = await lineStartFrom(readAt, size - window, size)
    if (from === 0) return 0
    let first: number | undefined
    await readLines(readAt, {
      from,
      to: size,
      onLine({ text }) {
        first = text === undefined ? undefined : readEnvelope(text)?.seq
        return false
      },
    })
    if (first !== undefined && first <= seq) return from
  }
}
