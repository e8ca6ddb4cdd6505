import type { JsonObject } from '#core/json/json.ts'
import type { StepLog } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'
import type { Clock } from '#core/time/time.ts'

const MAX_LINES = 100
const MESSAGE_CHARS = 2_000
const FIELDS_CHARS = 4_000
const SECOND_MS = 1_000
/** Progress comes once a second at first, later once in so much of the time so far: some 260 lines in an hour, 420 in a day. */
const SHARE_OF_TIME = 50

/** What an operator wrote in one attempt, to be recorded when that is settled, or before. */
interface KeptLog {
  log: StepLog
  lines(): JsonObject[]
  /** The attempt is over: nothing is written any more before its settlement. */
  end(): Promise<void>
}

interface LogPorts {
  log: Pick<StepLog, 'info' | 'warn'>
  monotonic: Clock
  /** Records lines while the attempt is at work; `from` is the place of the first. False, or an error: the settlement records them. */
  write(lines: readonly JsonObject[], from: number): Promise<boolean>
}

/** Keeps what goes to `log`: so many lines, each so long; of the rest it says how many there were. Of progress it keeps the last in a while. */
export function keepLog({ log, monotonic, write }: LogPorts): KeptLog {
  const kept: JsonObject[] = []
  let count = 0
  const live = writeLive(kept, write)
  const keep = (line: JsonObject & { message: string }) => {
    kept.push({ ...line, message: cutText(line.message, MESSAGE_CHARS) })
    live.changed()
  }
  const paced = pace(monotonic, (said) => {
    const message = said()
    log.info({}, message)
    keep({ level: 'progress', message })
  })
  const line = (level: 'info' | 'warn', fields: JsonObject, message: string) => {
    log[level](fields, message)
    count += 1
    if (count > MAX_LINES) return
    const isShort = JSON.stringify(fields).length <= FIELDS_CHARS
    keep({ level, message, ...(isShort ? { fields } : {}) })
  }
  return {
    log: {
      info: (fields, message) => line('info', fields, message),
      warn: (fields, message) => line('warn', fields, message),
      progress: paced.say,
    },
    lines: () =>
      count <= MAX_LINES ? kept : [...kept, { level: 'warn', message: `${count - MAX_LINES} more lines were written` }],
    async end() {
      paced.end()
      await live.end()
    },
  }
}

/** Hands on the first message at once, and later the last one of each while. */
function pace(monotonic: Clock, hand: (message: () => string) => void) {
  const began = monotonic()
  let due = began
  let latest: (() => string) | undefined
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (latest === undefined) return
    const now = monotonic()
    due = now + Math.max(SECOND_MS, (now - began) / SHARE_OF_TIME)
    hand(latest)
    latest = undefined
  }
  return {
    say(message: () => string) {
      latest = message
      const left = due - monotonic()
      if (left <= 0) flush()
      else timer ??= setTimeout(flush, left)
    },
    end: flush,
  }
}

/** Writes further lines, at most once a second, and never twice at the same time. */
function writeLive(lines: readonly JsonObject[], write: LogPorts['write']) {
  let written = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isOver = false
  async function begin() {
    const [from, to] = [written, lines.length]
    if (await write(lines.slice(from), from).catch(() => false)) written = to
    timer = undefined
    if (lines.length > to) changed()
  }
  function changed() {
    if (isOver) return
    timer ??= setTimeout(() => {
      writing = begin()
    }, SECOND_MS)
  }
  return {
    changed,
    async end() {
      isOver = true
      clearTimeout(timer)
      await writing
    },
  }
}
