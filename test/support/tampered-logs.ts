import { canonical } from '#core/json/canonical.ts'
import { chainedLines, draft, sha256 } from '#test/unit/core/audit/drafts.ts'

/** Records in the clean log. */
export const RECORDS = 2000
export const lines = chainedLines(RECORDS)
/** A log of sound records. */
export const clean = Buffer.from(`${lines.join('\n')}\n`)

/** Puts lines together again after they were tampered with. */
export const stored = (tampered: string[]) => Buffer.from(`${tampered.join('\n')}\n`)

/** Every kind of tampering, at the record with index `at`; answers the bytes and the record that must be named. */
export const TAMPERINGS: Record<string, (at: number, other: number) => [Buffer, number]> = {
  'flips a bit of the event': (at) => [stored(lines.with(at, lineAt(at).replace('engine', 'dngine'))), at + 1],
  'changes a value': (at) => [stored(lines.with(at, lineAt(at).replace('require_hitl', 'allow_auto'))), at + 1],
  'deletes a record': (at) => [stored(lines.toSpliced(at, 1)), at + 1],
  'deletes a newline': (at) => [stored(lines.toSpliced(at, 2, lineAt(at) + lineAt(at + 1))), at + 1],
  'inserts a foreign record': (at) => [stored(lines.toSpliced(at, 0, foreignRecord(at))), at + 2],
  'inserts an empty line': (at) => [stored(lines.toSpliced(at, 0, '')), at + 1],
  'swaps two records': (at, other) => [
    stored(lines.with(at, lineAt(other)).with(other, lineAt(at))),
    Math.min(at, other) + 1,
  ],
  'duplicates a record': (at) => [stored(lines.toSpliced(at, 0, lineAt(at))), at + 2],
  'cuts a line in the middle': (at) => [stored(lines.with(at, lineAt(at).slice(0, 300))), at + 1],
  'cuts the file in the middle of a line and continues': (at) => [
    stored(lines.with(at, lineAt(at).slice(0, 300) + lineAt(at + 1).slice(300))),
    at + 1,
  ],
  'edits prev_hash': (at) => [stored(lines.with(at, lineAt(at).replace(/"prev_hash":"./, '"prev_hash":"x'))), at + 1],
  'edits hash': (at) => [stored(lines.with(at, lineAt(at).replace(/"hash":"(.)/, otherDigit))), at + 1],
  'replaces a record and rehashes it': (at) => [stored(lines.with(at, foreignRecord(at))), at + 2],
}

export const lineAt = (at: number): string => lines[at] ?? ''
const otherDigit = (_all: string, digit: string) => `"hash":"${digit === '0' ? '1' : '0'}`

/** A record of our own making that follows the one before it rightly. */
const foreignRecord = (at: number): string => {
  const prev_hash = at === 0 ? '0'.repeat(64) : JSON.parse(lineAt(at - 1)).hash
  const event = canonical({ ...draft(9999), v: 1, seq: at + 1 })
  return `{"seq":${at + 1},"hash":"${sha256(prev_hash + event)}","prev_hash":"${prev_hash}","event":${event}}`
}
