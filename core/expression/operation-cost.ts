import type { EvaluationBudget } from './evaluation-budget.ts'

type Spend = EvaluationBudget['spend']

const CHARS_PER_UNIT = 32
const COUNTED_PER_UNIT = 4
/** of the product of two sizes; a search may compare each place of a text with all of the other one */
const COMPARED_PER_UNIT = 64
/** a new calendar for each call */
const UNITS_PER_TIME_ZONE = 2_000

/** Units of a value by its own size; its parts are counted where they are read. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length / CHARS_PER_UNIT
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.length
  if (value instanceof Map || value instanceof Set) return value.size
  if (value instanceof Uint8Array) return value.length / CHARS_PER_UNIT
  return 1
}

/** Of a call before it is made: by the sizes of its operands, and by their product where two of them have one. */
export function costOfCall(name: string, operands: readonly unknown[]): number {
  const [first, second] = operands
  // it counts the characters of a text one by one, and knows the size of anything else
  if (name === 'size') return typeof first === 'string' ? first.length / COUNTED_PER_UNIT : 0
  // its regular expression backtracks over each digit, from each digit
  if (name === 'duration') return typeof first === 'string' ? first.length ** 3 / COMPARED_PER_UNIT : 0
  if (first instanceof Date && second !== undefined) return UNITS_PER_TIME_ZONE
  // the result is as large as all parts together, and exists before it can be counted
  if (name === 'join' && Array.isArray(first)) return sizeOfJoined(first, second)
  if (name === 'split') return lengthOf(first) / COUNTED_PER_UNIT
  // the result has no known size, and may hold an object for every few bytes
  if (name === 'json') return lengthOf(first)
  const each = operands.reduce<number>((sum, operand) => sum + sizeOf(operand), 0)
  if (name === 'startsWith' || name === 'endsWith') return each
  return each + (lengthOf(first) * lengthOf(second)) / COMPARED_PER_UNIT
}

function sizeOfJoined(parts: readonly unknown[], separator: unknown): number {
  const made = parts.reduce<number>((sum, part) => sum + lengthOf(part), parts.length * lengthOf(separator))
  return parts.length + made / CHARS_PER_UNIT
}

export function spendOnOperator(operator: string, left: unknown, right: unknown, spend: Spend): void {
  if (operator === '==' || operator === '!=') spendOnEqual(left, right, spend)
  else if (operator === 'in' && (Array.isArray(right) || right instanceof Set)) {
    for (const item of right) spendOnEqual(left, item, spend)
  } else spend(sizeOf(left) + (operator === 'in' ? 0 : sizeOf(right)))
}

/** The keys of a map are copied before a loop over them begins. */
export function costOfLoop(items: unknown): number {
  return Array.isArray(items) ? 0 : sizeOf(items)
}

/** As far as a comparison may go: into both, in step. */
function spendOnEqual(left: unknown, right: unknown, spend: Spend): void {
  spend(1)
  if (left === right) return
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length === right.length) spend(sizeOf(left))
  } else if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length === right.length)
      for (const [index, item] of left.entries()) spendOnEqual(item, right[index], spend)
  } else if (left instanceof Map && right instanceof Map) {
    if (left.size === right.size) for (const [key, item] of left) spendOnEqual(item, right.get(key), spend)
  } else spendOnWhole(left, right, spend)
}

function spendOnWhole(left: unknown, right: unknown, spend: Spend): void {
  if (!isContainer(left) || !isContainer(right)) return
  for (const item of membersOf(left)) spendOnDepth(item, spend)
}

function spendOnDepth(value: unknown, spend: Spend): void {
  spend(1 + (isContainer(value) ? 0 : sizeOf(value)))
  if (isContainer(value)) for (const item of membersOf(value)) spendOnDepth(item, spend)
}

function membersOf(value: object): Iterable<unknown> {
  if (value instanceof Uint8Array) return [value.length]
  return value instanceof Map || value instanceof Set || Array.isArray(value) ? value.values() : Object.values(value)
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return value instanceof Uint8Array ? value.length : 0
}
