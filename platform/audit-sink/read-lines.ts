import { isAscii, isUtf8 } from 'node:buffer'
import type { ReadAt } from './sink-fs.ts'

const BLOCK_BYTES = 256 * 1024

/** A complete line, without its newline. `text` is undefined when its bytes are not UTF-8; `end` is the offset behind it. */
export interface Line {
  text: string | undefined
  end: number
}

export interface LineRange {
  from: number
  to: number
  /** Answers `false` to stop. */
  onLine: (line: Line) => boolean
}

/** Reads complete lines in a fixed amount of memory (one block or one line, whichever is larger); answers the bytes behind the last newline. */
export const readLines = async (readAt: ReadAt, { from, to, onLine }: LineRange): Promise<Buffer> => {
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  const pending: Buffer[] = []
  let position = from
  while (position < to) {
    const bytes = await readAt(block.subarray(0, Math.min(BLOCK_BYTES, to - position)), position)
    if (bytes === 0) break
    const read = block.subarray(0, bytes)
    position += bytes
    const last = read.lastIndexOf(0x0a)
    if (last < 0) {
      pending.push(Buffer.from(read))
      continue
    }
    const complete = Buffer.concat([...pending, read.subarray(0, last + 1)])
    pending.length = 0
    if (!splitLines(complete, position - bytes + last + 1 - complete.length, onLine)) return Buffer.alloc(0)
    if (last + 1 < bytes) pending.push(Buffer.from(read.subarray(last + 1)))
  }
  return Buffer.concat(pending)
}

const splitLines = (bytes: Buffer, offset: number, onLine: LineRange['onLine']): boolean => {
  // In ASCII one character is one byte: quicker to decode, and the offsets need no counting.
  const ascii = isAscii(bytes)
  if (!ascii && !isUtf8(bytes)) return splitBytes(bytes, offset, onLine)
  const text = bytes.toString(ascii ? 'latin1' : 'utf8')
  let end = offset
  for (let start = 0, stop = text.indexOf('\n'); stop >= 0; start = stop + 1, stop = text.indexOf('\n', start)) {
    const line = text.slice(start, stop)
    end += (ascii ? line.length : Buffer.byteLength(line)) + 1
    if (!onLine({ text: line, end })) return false
  }
  return true
}

const splitBytes = (bytes: Buffer, offset: number, onLine: LineRange['onLine']): boolean => {
  for (let start = 0, stop = bytes.indexOf(0x0a); stop >= 0; start = stop + 1, stop = bytes.indexOf(0x0a, start)) {
    const line = bytes.subarray(start, stop)
    if (!onLine({ text: isUtf8(line) ? line.toString('utf8') : undefined, end: offset + stop + 1 })) return false
  }
  return true
}

/** The offset of the first line that begins at `position` or later; `to` when there is none. */
export const lineStartFrom = async (readAt: ReadAt, position: number, to: number): Promise<number> => {
  if (position <= 0) return 0
  const block = Buffer.allocUnsafe(BLOCK_BYTES)
  for (let at = position - 1; at < to; ) {
    const bytes = await readAt(block.subarray(0, Math.min(BLOCK_BYTES, to - at)), at)
    if (bytes === 0) break
    const newline = block.subarray(0, bytes).indexOf(0x0a)
    if (newline >= 0) return at + newline + 1
    at += bytes
  }
  return to
}
