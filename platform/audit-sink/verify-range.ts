import { hash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { type BrokenLink, type ChainHead, GENESIS, readEnvelope, verifyLine, verifyLink } from '#core/audit/chain.ts'
import type { AuditEvent } from '#core/audit/types.ts'
import { readLines } from './read-lines.ts'
import { type ReadAt, readFrom } from './sink-fs.ts'

export const sha256 = (text: string): string => hash('sha256', text, 'hex')

/** A record that holds, with the line that it was read from. */
export interface VerifiedRecord extends ChainHead {
  event: AuditEvent
  line: string
}

interface VerifyRangeOptions {
  /** Offset of the first line. */
  from: number
  to: number
  /** The record before the first one; by default the one that the first line names. */
  prev?: ChainHead
  onRecord?: (record: VerifiedRecord) => void
  /** Check place, link and hash only, without parsing events (`onRecord` is not called). Three times faster. */
  links_only?: boolean
}

export interface Verification {
  /** Good records, up to the first broken link. */
  records: number
  head: ChainHead
  /** Offset behind the last good record. */
  end: number
  /** The first broken link; `line` counts from 1 at the start of the range. */
  broken?: BrokenLink & { line: number }
  /** Bytes behind the last newline: the rest of an unacknowledged record after a crash. */
  torn_tail?: Buffer
}

/** Verifies the records of a byte range in constant memory and stops at the first broken link. */
export const verifyRange = async (readAt: ReadAt, options: VerifyRangeOptions): Promise<Verification> => {
  const { from, to, onRecord, links_only = false } = options
  let head = options.prev
  const result: Verification = { records: 0, head: head ?? GENESIS, end: from }

  const rest = await readLines(readAt, {
    from,
    to,
    onLine({ text, end }) {
      const prev = head ?? claimedPrev(text) ?? GENESIS
      const check =
        text === undefined
          ? notUtf8(prev)
          : links_only
            ? verifyLink(prev, text, sha256)
            : verifyLine(prev, text, sha256)
      if (!check.ok) {
        result.broken = { ...check.broken, line: result.records + 1 }
        return false
      }
      head = check.head
      result.head = head
      result.records += 1
      result.end = end
      if (text !== undefined && 'event' in check) onRecord?.({ ...head, event: check.event, line: text })
      return true
    },
  })

  if (!result.broken && rest.length > 0) {
    if (endsInForeignByte(result.head, rest)) {
      const seq = result.head.seq + 1
      const detail = 'a complete record is followed by something that is not a newline'
      result.broken = { seq, kind: 'malformed_line', detail, line: result.records + 1 }
    } else result.torn_tail = rest
  }
  return result
}

const claimedPrev = (text: string | undefined): ChainHead | undefined => {
  const stored = text === undefined ? undefined : readEnvelope(text)
  return stored && { seq: stored.seq - 1, hash: stored.prev_hash }
}

const notUtf8 = (prev: ChainHead): { ok: false; broken: BrokenLink } => ({
  ok: false,
  broken: { seq: prev.seq + 1, kind: 'malformed_line', detail: 'the line is not UTF-8' },
})

/** A crash leaves a prefix of a line. A whole record with another byte where its newline was is no such prefix. */
const endsInForeignByte = (head: ChainHead, rest: Buffer): boolean =>
  verifyLink(head, rest.subarray(0, -1).toString('utf8'), sha256).ok

/** Verifies a whole audit log from its first record. Reads beside a live writer, up to the log's present length. */
export const verifyFile = async (
  path: string,
  options: Pick<VerifyRangeOptions, 'onRecord' | 'links_only'> = {},
): Promise<Verification> => {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    return await verifyRange(readFrom(handle), { from: 0, to: size, prev: GENESIS, ...options })
  } finally {
    await handle.close()
  }
}
