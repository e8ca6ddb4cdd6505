import { createWriteStream, renameSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const ROTATE_BYTES = 10 * 1024 * 1024
const WARN = 40

export interface ChildLog {
  /** copies a stream line by line; important lines also go to `report` */
  follow(stream: Readable | null, kind: 'json' | 'raw'): void
  /** the last lines, for an error message */
  tail(): string[]
  close(): void
}

/**
 * A log file of one child, kept below about 20 MB by one rotation per start. While it is audible, warnings, errors
 * and raw lines are also reported; `tail` tells its last words.
 */
export function openChildLog(file: string, report: (line: string) => void, isAudible: () => boolean): ChildLog {
  rotate(file)
  const out = createWriteStream(file, { flags: 'a', mode: 0o600 })
  // a full disk must not crash the supervisor of the child; the stream accepts nothing after its first error
  out.on('error', ({ message }) => report(`the log can no longer be written: ${message}`))
  const recent: string[] = []
  return {
    follow(stream, kind) {
      if (!stream) return
      createInterface({ input: stream }).on('line', (line) => {
        out.write(`${line}\n`)
        recent.push(line)
        if (recent.length > 10) recent.shift()
        const notable = kind === 'json' ? notableText(line) : line
        if (isAudible() && notable?.trim()) report(notable)
      })
    },
    tail: () => [...recent],
    close: () => void out.end(),
  }
}

/** Members of a log line besides its message. */
type Entry = { err?: { message?: unknown } } & {
  [field in 'level' | 'msg' | 'pack' | 'policy' | 'channel' | 'detail' | 'problem' | 'problems' | 'error']?: unknown
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** The text of a JSON log line at level warn or above: what happened, to what, and why. */
function notableText(line: string): string | undefined {
  try {
    const entry: Entry = JSON.parse(line)
    if (typeof entry.level !== 'number' || entry.level < WARN) return undefined
    const { msg, pack, policy, channel, detail, problem, problems, err, error } = entry
    const of = [pack, policy, channel].filter(isText)
    const why = [detail, problem, ...(Array.isArray(problems) ? problems : []), err?.message, error].filter(isText)
    return [msg, of.join(' '), why.join('; ')].filter((part) => isText(part) && part !== '').join(': ') || line
  } catch {
    return undefined
  }
}

function rotate(file: string): void {
  try {
    if (statSync(file).size > ROTATE_BYTES) renameSync(file, `${file}.1`)
  } catch {
    // no log yet
  }
}
