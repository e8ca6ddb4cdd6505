import { type Json, type JsonObject, pointerParts, valueAt } from '../json/json.ts'
import type { NamedSecret } from './redactor.ts'
import { secretMark } from './secret-mark.ts'

export interface SplitInputs {
  /** the inputs with its mark in the place of every secret */
  public: JsonObject
  /** by JSON Pointer; empty when none was given */
  secrets: Record<string, Json>
}

/** Takes the values at the given JSON Pointers out of the inputs; a pointer that names nothing, or something taken before, is passed over. */
export function splitSecrets(inputs: JsonObject, paths: string[]): SplitInputs {
  let shown: Json = inputs
  const secrets: [string, Json][] = []
  for (const pointer of [...paths].sort((a, b) => a.length - b.length)) {
    const path = pointerParts(pointer)
    if (secrets.some(([taken]) => pointer.startsWith(`${taken}/`) || pointer === taken)) continue
    const value = valueAt(shown, path)
    if (value === undefined || path.length === 0) continue
    secrets.push([pointer, value])
    shown = replaced(shown, path, secretMark(nameOf(pointer)))
  }
  return { public: shown as JsonObject, secrets: Object.fromEntries(secrets) }
}

/** Puts values back at their JSON Pointers: the inverse of `splitSecrets`. */
export function mergeSecrets(shown: JsonObject, secrets: Record<string, Json>): JsonObject {
  let merged: Json = shown
  for (const [pointer, value] of Object.entries(secrets)) {
    const path = pointerParts(pointer)
    if (valueAt(merged, path) !== undefined) merged = replaced(merged, path, value)
  }
  return merged as JsonObject
}

/** Values by their JSON Pointers under the names that people know: `login.password`. */
export function namedSecrets(secrets: Record<string, Json>): NamedSecret[] {
  return Object.entries(secrets).map(([pointer, value]) => [nameOf(pointer), value])
}

function nameOf(pointer: string): string {
  return pointerParts(pointer).join('.')
}

/** Copies along the path; any name stays a plain member. */
function replaced(value: Json, [name, ...rest]: string[], put: Json): Json {
  if (name === undefined || typeof value !== 'object' || value === null) return put
  if (Array.isArray(value)) {
    return value.map((item, index) => (String(index) === name ? replaced(item, rest, put) : item))
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === name ? replaced(item, rest, put) : item]),
  )
}
