import { Optional } from '@marcbachmann/cel-js'
import type { Json, JsonObject } from '../json/json.ts'
import type { EvaluationBudget } from './evaluation-budget.ts'
import { sizeOf } from './operation-cost.ts'

const UNITS_PER_ITEM = 2
const UNITS_PER_ENTRY = 6

/** The members of the scope that an expression uses; an empty node is the whole value. */
export interface UsedMembers {
  all: boolean
  members: Map<string, UsedMembers>
}

/**
 * Converts JSON to CEL values: integers become BigInt (JavaScript numbers are doubles to CEL), objects become maps (which have no prototype
 * to reach). Only the used members are converted.
 */
function toCel(value: Json, used: UsedMembers, budget: EvaluationBudget): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    budget.spend(value.length * UNITS_PER_ITEM)
    return value.map((item) => toCel(item, WHOLE, budget))
  }
  return toMap(value, used, budget)
}

/** The members of an object that an expression uses. */
export function toMap(value: JsonObject, used: UsedMembers, budget: EvaluationBudget): Map<string, unknown> {
  const keys = used.all ? Object.keys(value) : [...used.members.keys()]
  const map = new Map<string, unknown>()
  budget.spend(keys.length * UNITS_PER_ENTRY)
  for (const key of keys) {
    // read as a property, because a scope may record its reads
    const member = Object.hasOwn(value, key) ? value[key] : undefined
    if (member !== undefined) map.set(key, toCel(member, used.all ? WHOLE : (used.members.get(key) ?? WHOLE), budget))
  }
  return map
}

const WHOLE: UsedMembers = { all: true, members: new Map() }

/**
 * Converts a result of CEL to JSON; undefined when there is none. Spends on each part as often as it occurs, since JSON shares nothing.
 * Throws RangeError for a value without a JSON form.
 */
export function fromCel(value: unknown, budget: EvaluationBudget): Json | undefined {
  if (value instanceof Optional) return value.hasValue() ? fromCel(value.value(), budget) : undefined
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return text(value, budget)
  if (typeof value === 'number') return finite(value)
  if (typeof value === 'bigint') return safe(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) {
    budget.spend(value.length * UNITS_PER_ITEM)
    return value.map((item) => present(item, budget))
  }
  const entries = value instanceof Map ? [...value] : isPlainObject(value) ? Object.entries(value) : undefined
  if (entries !== undefined) {
    budget.spend(entries.length * UNITS_PER_ENTRY)
    return Object.fromEntries(entries.map(([key, item]) => [text(String(key), budget), present(item, budget)]))
  }
  if (value === undefined) return undefined
  throw new RangeError('the result has no JSON form; convert it with string(…), int(…) or double(…)')
}

function present(value: unknown, budget: EvaluationBudget): Json {
  const json = fromCel(value, budget)
  if (json === undefined) throw new RangeError('the result holds an empty optional; give it a value with .orValue(…)')
  return json
}

/** Refuses text that no record can hold: half of a character, as a substring may cut it, or U+0000. */
function text(value: string, budget: EvaluationBudget): string {
  budget.spend(sizeOf(value))
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

/** An integer as a double. Throws RangeError where that would be its neighbour, also for the text of one. */
export function toDouble(value: unknown): number {
  const number = Number(value)
  const integer = typeof value === 'bigint' || (typeof value === 'string' && /^[-+]?\d+$/.test(value))
  if (integer && !Number.isSafeInteger(number))
    throw new RangeError('an integer beyond 2^53 is no double; compare it as int(…), or keep it as text')
  return number
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
