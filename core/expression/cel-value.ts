import { Optional } from '@marcbachmann/cel-js'
import type { Json, JsonObject } from '../json.ts'

/** Members of the scope that an expression uses; an empty node stands for the whole value. */
export interface UsedMembers {
  all: boolean
  members: Map<string, UsedMembers>
}

/** Counts the largest collection that an expression is given. */
export interface CelSize {
  largest: number
}

/**
 * JSON as CEL sees it: integers become BigInt (JavaScript numbers are doubles to CEL), objects become maps (which have no
 * prototype to reach). Only the used members are converted.
 */
function toCel(value: Json, used: UsedMembers, size: CelSize): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    size.largest = Math.max(size.largest, value.length)
    return value.map((item) => toCel(item, WHOLE, size))
  }
  return toMap(value, used, size)
}

/** The members of an object that an expression uses. */
export function toMap(value: JsonObject, used: UsedMembers, size: CelSize): Map<string, unknown> {
  const keys = used.all ? Object.keys(value) : [...used.members.keys()]
  const map = new Map<string, unknown>()
  for (const key of keys) {
    // read as a property, because a scope may note what is asked for
    const member = Object.hasOwn(value, key) ? value[key] : undefined
    if (member !== undefined) map.set(key, toCel(member, used.all ? WHOLE : (used.members.get(key) ?? WHOLE), size))
  }
  size.largest = Math.max(size.largest, map.size)
  return map
}

const WHOLE: UsedMembers = { all: true, members: new Map() }

/** A result of CEL as JSON; undefined when there is none. Throws RangeError for what has no JSON form. */
export function fromCel(value: unknown): Json | undefined {
  if (value instanceof Optional) return value.hasValue() ? fromCel(value.value()) : undefined
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return finite(value)
  if (typeof value === 'bigint') return safe(value)
  if (Array.isArray(value)) return value.map(present)
  if (value instanceof Map)
    return Object.fromEntries(Array.from(value, ([key, item]) => [text(String(key)), present(item)]))
  if (value instanceof Date) return value.toISOString()
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), present(item)]))
  if (value === undefined) return undefined
  throw new RangeError('the result has no JSON form; convert it with string(…), int(…) or double(…)')
}

function present(value: unknown): Json {
  const json = fromCel(value)
  if (json === undefined) throw new RangeError('the result holds an empty optional; give it a value with .orValue(…)')
  return json
}

/** No record could hold it: half of a character, as a substring may cut it, or U+0000. */
function text(value: string): string {
  if (!value.isWellFormed() || value.includes('\0'))
    throw new RangeError('the result holds text that is not valid Unicode, or U+0000')
  return value
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('the result is not a finite number')
  return value
}

function safe(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number))
    throw new RangeError('the result is an integer beyond 2^53; convert it with string(…)')
  return number
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
