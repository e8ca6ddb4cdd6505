import { isObject, type Json, type JsonObject, jsonPointer, pointerParts } from '../json/json.ts'
import { visibleLine } from '../text/visible-text.ts'
import { secretPaths } from './secret-paths.ts'

const MARK = /<secret:[^<>]*>/g

/** Returns the text that replaces a known secret. */
export function secretMark(name: string): string {
  return `<secret:${visibleLine(name).replace(/[<>]/g, '')}>`
}

/** Tells whether a value is exactly such a mark: a client has sent back a redacted value. */
export function isSecretMark(value: Json): boolean {
  return typeof value === 'string' && value.replace(MARK, '') === '' && value !== ''
}

/** Tells whether a value contains such a mark, at any depth. */
export function holdsSecretMark(value: unknown): boolean {
  if (typeof value === 'string') return isSecretMark(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsSecretMark)
}

/** Returns where a value contains such a mark, as JSON Pointers. */
export function markedPlaces(value: Json, path: string[] = []): string[] {
  if (typeof value === 'string') return value.search(MARK) === -1 ? [] : [jsonPointer(path)]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => markedPlaces(item, [...path, key]))
}

/** Inputs without those that their schema declares secret, and without a mark in their place: for a form in which people give them. */
export function withoutSecrets(schema: JsonObject, inputs: JsonObject): JsonObject {
  return secretPaths(schema).reduce((left, pointer) => without(left, pointerParts(pointer)), inputs)
}

function without(value: JsonObject, [name = '', ...rest]: string[]): JsonObject {
  if (!Object.hasOwn(value, name)) return value
  const { [name]: inner, ...others } = value
  const kept: Json | undefined = rest.length > 0 && isObject(inner) ? without(inner, rest) : undefined
  return kept === undefined ? others : { ...others, [name]: kept }
}
