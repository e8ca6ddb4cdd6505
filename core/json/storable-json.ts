/// <reference lib="es2024.string" />
import type { Json } from './json.ts'
import { parseForeignJson } from './parse-json.ts'

/** Parses an alert or a delivery to storable JSON; throws as `parseForeignJson` does. */
export function parseDelivery(text: string): unknown {
  return storableJson(parseForeignJson(text))
}

/**
 * Returns the value as storable JSON: the name that no JSON object can hold safely (`__proto__`) in quotes, U+0000 as `\u0000`, and half a
 * surrogate pair as U+FFFD, at any depth. A value that needs no change is returned itself.
 */
export function storableJson<T>(value: T): T {
  return isStorable(value) ? value : (storable(value as Json) as T)
}

export function storableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll('\u0000', '\\u0000')
}

export function isStorableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isStorableText(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isStorable)
  return Object.entries(value).every(
    ([key, member]) => key !== '__proto__' && isStorableText(key) && isStorable(member),
  )
}

function storable(value: Json): Json {
  if (typeof value === 'string') return storableText(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(storable)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key === '__proto__' ? '"__proto__"' : storableText(key),
      storable(member),
    ]),
  )
}
