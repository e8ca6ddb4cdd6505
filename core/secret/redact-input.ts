import { type Json, type JsonObject, jsonPointer } from '../json/json.ts'
import type { Redactor } from './redactor.ts'

/** A keyed digest of one value, `hmac-sha256:<hex>`: it can be compared, never read. */
export type CommitmentOf = (value: Json) => string

export interface RedactedInput {
  /** as people and records see it */
  shown: JsonObject
  /** by JSON Pointer into `shown`: commitments to hidden values */
  commitments: Record<string, string>
  /** the hashed form: every hidden value is its commitment */
  committed: JsonObject
}

/**
 * Redacts a rendered input for people: the run's secrets are hidden at any depth, and nothing else is. Without `commit`, a hidden value is
 * hashed plainly.
 */
export function redactInput(
  input: JsonObject,
  redactor: Redactor,
  commitmentOf: CommitmentOf | undefined,
): RedactedInput {
  const commitments: Record<string, string> = {}

  function redact(value: Json, path: string[]): { shown: Json; committed: Json } {
    if (typeof value !== 'object' || value === null) {
      const isHidden = redactor.data(value) !== value
      return { shown: redactor.shown(value), committed: isHidden ? note(value, path) : value }
    }
    if (Array.isArray(value)) {
      const items = value.map((item, index) => redact(item, [...path, String(index)]))
      return { shown: items.map((item) => item.shown), committed: items.map((item) => item.committed) }
    }
    const entries = Object.entries(value).map(([name, item]) => {
      const key = redactor.shown(name)
      const isHidden = redactor.data(name) !== name
      return {
        key,
        committedKey: isHidden ? (commitmentOf?.(name) ?? name) : name,
        redacted: redact(item, [...path, key]),
      }
    })
    return {
      shown: Object.fromEntries(entries.map(({ key, redacted }) => [key, redacted.shown])),
      committed: Object.fromEntries(entries.map(({ committedKey, redacted }) => [committedKey, redacted.committed])),
    }
  }

  function note(value: Json, path: string[]): Json {
    const commitment = commitmentOf?.(value)
    if (commitment === undefined) return value
    commitments[jsonPointer(path)] = commitment
    return commitment
  }

  const { shown, committed } = redact(input, [])
  return { shown: shown as JsonObject, commitments, committed: committed as JsonObject }
}
