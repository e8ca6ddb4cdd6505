import { isObject, type JsonObject } from '#core/json/json.ts'
import { cleanJson } from '../clean-json.ts'

const MAX_ROWS = 1_000
const MAX_BYTES = 1024 * 1024

export interface RowCollector {
  rows: JsonObject[]
  truncated: boolean
  /** false once a cap is reached: nothing more is taken */
  add(row: unknown): boolean
}

/** Collects rows up to 1,000 and 1 MiB of JSON; what is beyond is left out and said so. */
export function collectRows(): RowCollector {
  let bytes = 0
  const collector: RowCollector = {
    rows: [],
    truncated: false,
    add(row) {
      const value = cleanJson(row)
      const size = Buffer.byteLength(JSON.stringify(value ?? null))
      if (collector.rows.length === MAX_ROWS || bytes + size > MAX_BYTES) collector.truncated = true
      if (collector.truncated) return false
      bytes += size
      collector.rows.push(isObject(value) ? value : {})
      return true
    },
  }
  return collector
}
