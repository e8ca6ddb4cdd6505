import { open } from 'node:fs/promises'
import { type BrokenLink, type ChainHead, GENESIS, verifyLink } from '#core/audit/chain.ts'
import { readLines } from './read-lines.ts'
import { readFrom } from './sink-fs.ts'
import { sha256 } from './verify-range.ts'

/** A place between two records. */
export interface LogPlace {
  offset: number
  /** the record before it */
  head: ChainHead
}

export const LOG_START: LogPlace = { offset: 0, head: GENESIS }

/** Records that follow one another, verified while they were read. */
export interface LogSlice {
  records: ChainHead[]
  next: LogPlace
  /** the following record, which is broken */
  broken?: BrokenLink
  /** nothing follows: the log ends here, or there is none */
  ended: boolean
}

/**
 * Reads the current file at the path, from a place on: about so many bytes of it, and nothing behind record `to_seq`. It opens the file
 * again each time, so that a replaced file is noticed.
 */
export const readSlice = async (path: string, from: LogPlace, bytes: number, to_seq: number): Promise<LogSlice> => {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  const slice: LogSlice = { records: [], next: from, ended: true }
  if (handle === undefined) return slice
  try {
    const { size } = await handle.stat()
    await readLines(readFrom(handle), {
      from: from.offset,
      to: size,
      onLine({ text, end }) {
        const check = text === undefined ? notUtf8(slice.next.head) : verifyLink(slice.next.head, text, sha256)
        if (!check.ok) slice.broken = check.broken
        else {
          slice.records.push(check.head)
          slice.next = { offset: end, head: check.head }
        }
        slice.ended = check.ok && end - from.offset < bytes && check.head.seq < to_seq
        return slice.ended
      },
    })
    return slice
  } finally {
    await handle.close()
  }
}

const notUtf8 = ({ seq }: ChainHead) => ({
  ok: false as const,
  broken: { seq: seq + 1, kind: 'malformed_line' as const, detail: 'the line is not UTF-8' },
})
