import type { FieldError } from '../errors.ts'
import { jsonPointer } from '../json/json.ts'

/** A fault in a document: the path to the value, and the offset in it when it is text. */
export interface Fault {
  path: (string | number)[]
  message: string
  offset?: number
  /** true when the key at the end of `path` is at fault, not its value */
  key?: boolean
  /** true for what may be meant as it is; everything else is an error */
  warning?: boolean
}

/** The part of a schema issue that a fault is made of. */
interface SchemaIssue {
  code: string
  path: PropertyKey[]
  message: string
  keys?: string[]
}

/** Issues of a parsed document as faults; every unknown key is one of its own. */
export function schemaFaults(issues: readonly SchemaIssue[]): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
    if (issue.keys === undefined || issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }]
    return issue.keys.map((key) => ({ path: [...path, key], message: `unknown key ${JSON.stringify(key)}`, key: true }))
  })
}

export function faultToFieldError({ path, message }: Fault): FieldError {
  return { pointer: jsonPointer(path), loc: path, msg: message, type: 'invalid' }
}
