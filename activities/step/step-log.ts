import type { JsonObject } from '#core/json/json.ts'
import type { StepLog } from '#core/operator.ts'
import { cutText } from '#core/text/text.ts'

const MOST_LINES = 100
const MESSAGE_CHARS = 2_000
const FIELDS_CHARS = 4_000

/** What an operator wrote in one attempt, to be recorded when that is settled. */
interface KeptLog {
  log: StepLog
  lines(): JsonObject[]
}

/** Keeps what goes to `log`: so many lines, each so long; of the rest it says how many there were. */
export function keepLog(log: StepLog): KeptLog {
  const kept: JsonObject[] = []
  let left = 0
  const keep = (level: 'info' | 'warn', fields: JsonObject, message: string) => {
    log[level](fields, message)
    if (kept.length === MOST_LINES) {
      left += 1
      return
    }
    const isShort = JSON.stringify(fields).length <= FIELDS_CHARS
    kept.push({ level, message: cutText(message, MESSAGE_CHARS), ...(isShort ? { fields } : {}) })
  }
  return {
    log: {
      info: (fields, message) => keep('info', fields, message),
      warn: (fields, message) => keep('warn', fields, message),
    },
    lines: () => (left === 0 ? kept : [...kept, { level: 'warn', message: `${left} more lines were written` }]),
  }
}
