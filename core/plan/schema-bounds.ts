import { DomainError } from '../errors.ts'
import { isObject, type Json, type JsonObject, pointerParts, valueAt } from '../json/json.ts'
import { percentDecoded } from '../text/text.ts'

/** Limits of a schema. Compile time grows faster than any of them. */
const MAX_DEPTH = 100
const MAX_BRANCHES = 500
const MAX_PATTERN_LENGTH = 2_000
/** instructions of all its patterns: `a{1000}` has a thousand */
const MAX_PATTERN_SIZE = 100_000

const BRANCHES = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const SINGLE = new Set(['not', 'if', 'then', 'else', 'contains', 'unevaluatedProperties', 'unevaluatedItems'])

/** Keywords whose value is a schema, a list of schemas, or a mapping to them. */
const ONE = ['items', 'additionalProperties', 'unevaluatedProperties', 'contains', 'not', 'if', 'then', 'else']
const LIST = ['prefixItems', 'allOf', 'anyOf', 'oneOf']
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']
/** keywords whose schema may fail while the whole one is valid */
const MAY_FAIL = new Set(['anyOf', 'oneOf', 'not', 'if', 'contains'])

/** The schemas directly in a schema, each with the path to it. */
export function innerSchemas(schema: JsonObject): { schema: Json; keyword: string; path: (string | number)[] }[] {
  const entries = (key: string) =>
    Object.entries(isObject(schema[key]) || Array.isArray(schema[key]) ? schema[key] : {})
  return [
    ...ONE.flatMap((key) => (schema[key] === undefined ? [] : [{ schema: schema[key], keyword: key, path: [key] }])),
    ...LIST.flatMap((key) =>
      entries(key).map(([at, each]) => ({ schema: each, keyword: key, path: [key, Number(at)] })),
    ),
    ...NAMED.flatMap((key) => entries(key).map(([name, each]) => ({ schema: each, keyword: key, path: [key, name] }))),
  ]
}

/**
 * Throws `validation_failed` for a default in a schema that may fail: it would be filled in before anybody knows whether that one
 * holds. Ajv itself does not notice one behind a `$ref`.
 */
export function refuseUncertainDefaults(root: JsonObject): void {
  const seen = new Map<Json, boolean>()

  function visit(schema: Json | undefined, mayFail: boolean): void {
    if (!isObject(schema) || (seen.has(schema) && (seen.get(schema) || !mayFail))) return
    seen.set(schema, mayFail)
    if (mayFail && schema['default'] !== undefined)
      throw tooMuch(`has a default below ${[...MAY_FAIL].join(', ')}, where none can be filled in`)
    for (const { schema: inner, keyword } of innerSchemas(schema))
      visit(inner, (mayFail && keyword !== '$defs' && keyword !== 'definitions') || MAY_FAIL.has(keyword))
    visit(targetOf(schema['$ref']), mayFail)
  }

  function targetOf(ref: Json | undefined): Json | undefined {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined
    return valueAt(root, pointerParts(percentDecoded(ref.slice(1))))
  }

  visit(root, false)
}

/** Throws `validation_failed` for a schema whose compilation would block other requests, or change what other schemas refer to. */
export function refuseCostlySchema(schema: JsonObject): void {
  let branches = 0

  function visit(value: Json, depth: number): void {
    if (typeof value !== 'object' || value === null) return
    if (depth > MAX_DEPTH) throw tooMuch(`is nested deeper than ${MAX_DEPTH} levels`)
    if (depth > 1 && isObject(value) && typeof value['$id'] === 'string')
      throw tooMuch('has an $id inside: refer with $ref to a place in it (#/$defs/…)')
    for (const [key, member] of Object.entries(value)) {
      if (BRANCHES.has(key) && Array.isArray(member)) branches += member.length
      else if (SINGLE.has(key)) branches += 1
      if (branches > MAX_BRANCHES)
        throw tooMuch(`has more than ${MAX_BRANCHES} alternatives and conditions; write a list of values as enum`)
      visit(member, depth + 1)
    }
  }

  visit(schema, 1)
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
