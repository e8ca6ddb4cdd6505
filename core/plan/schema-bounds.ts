import { DomainError } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'

/** What a schema may hold. Compiling takes longer than in proportion to each of them. */
const MAX_DEPTH = 100
const MAX_BRANCHES = 500
const MAX_PATTERN_LENGTH = 2_000
/** instructions of all its patterns: `a{1000}` has a thousand */
const MAX_PATTERN_SIZE = 100_000

const BRANCHES = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SINGLE = new Set(['not', 'if', 'then', 'else', 'contains', 'unevaluatedProperties', 'unevaluatedItems'])

/** Throws `validation_failed` for a schema whose compilation would hold everybody else up. */
export function refuseCostlySchema(schema: JsonObject): void {
  let branches = 0

  function walk(value: Json, depth: number): void {
    if (typeof value !== 'object' || value === null) return
    if (depth > MAX_DEPTH) throw tooMuch(`is nested deeper than ${MAX_DEPTH} levels`)
    for (const [key, member] of Object.entries(value)) {
      if (BRANCHES.has(key) && Array.isArray(member)) branches += member.length
      else if (SINGLE.has(key)) branches += 1
      if (branches > MAX_BRANCHES)
        throw tooMuch(`has more than ${MAX_BRANCHES} alternatives and conditions; write a list of values as enum`)
      walk(member, depth + 1)
    }
  }

  walk(schema, 1)
}

/** Counts the patterns of one schema. Each call throws where its pattern is one too much. */
export function patternBudget() {
  let size = 0
  return {
    mustBeShort(pattern: string): void {
      if (pattern.length > MAX_PATTERN_LENGTH)
        throw new Error(`a pattern is longer than ${MAX_PATTERN_LENGTH} characters`)
    },
    spend(instructions: number): void {
      size += instructions
      if (size > MAX_PATTERN_SIZE) throw new Error('its patterns repeat too much: use smaller counts, or maxLength')
    },
  }
}

function tooMuch(what: string): DomainError {
  return new DomainError('validation_failed', `the JSON Schema ${what}`)
}
