import { redactUrl } from '../egress/redact-url.ts'
import { HIDDEN, isSecretName } from '../egress/secret-name.ts'
import type { Json, JsonObject } from '../json.ts'
import { jsonPointer } from '../plan/fault.ts'
import type { Redactor } from './redactor.ts'

/** A keyed digest of one value, `hmac-sha256:<hex>`: it can be compared, never read. */
export type Commit = (value: Json) => string

export interface VeiledInput {
  /** as people and records see it */
  shown: JsonObject
  /** by JSON Pointer into `shown`: what stands behind a hidden value */
  commitments: Record<string, string>
  /** as it is hashed: every hidden value is its commitment */
  committed: JsonObject
}

/** Fields of an operation whose members are known by their names. */
const NAMED_FIELDS = new Set(['headers', 'json'])

/**
 * Hides what is secret in a rendered input: a run's secrets wherever they stand, and what is named like one in headers, JSON
 * bodies and urls. A hidden value without `commit` is hashed as it is.
 */
export function veilInput(input: JsonObject, redactor: Redactor, commit: Commit | undefined): VeiledInput {
  const commitments: Record<string, string> = {}

  function veil(value: Json, path: string[]): { shown: Json; committed: Json } {
    if (typeof value !== 'object' || value === null) {
      const shown = shownLeaf(value, path, redactor)
      if (shown === value) return { shown, committed: value }
      return { shown, committed: note(value, path) }
    }
    if (Array.isArray(value)) {
      const items = value.map((item, index) => veil(item, [...path, String(index)]))
      return { shown: items.map((item) => item.shown), committed: items.map((item) => item.committed) }
    }
    const entries = Object.entries(value).map(([name, item]) => {
      const key = redactor.data(name)
      const at = [...path, key]
      const named = NAMED_FIELDS.has(path[0] ?? '') && isSecretName(name) && item !== null
      const veiled = named ? { shown: HIDDEN, committed: note(item, at) } : veil(item, at)
      return { key, committedKey: key === name ? name : (commit?.(name) ?? name), veiled }
    })
    return {
      shown: Object.fromEntries(entries.map(({ key, veiled }) => [key, veiled.shown])),
      committed: Object.fromEntries(entries.map(({ committedKey, veiled }) => [committedKey, veiled.committed])),
    }
  }

  function note(value: Json, path: string[]): Json {
    const commitment = commit?.(value)
    if (commitment === undefined) return value
    commitments[jsonPointer(path)] = commitment
    return commitment
  }

  const { shown, committed } = veil(input, [])
  return { shown: shown as JsonObject, commitments, committed: committed as JsonObject }
}

function shownLeaf(value: Json, path: string[], redactor: Redactor): Json {
  const shown = redactor.data(value)
  if (typeof shown !== 'string' || path.length !== 1 || path[0] !== 'url') return shown
  const url = redactUrl(shown)
  return url.includes(HIDDEN) ? url : shown
}
