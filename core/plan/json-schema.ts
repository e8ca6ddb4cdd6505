import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import { RE2JS } from 're2js'
import { DomainError, type FieldError } from '../errors.ts'
import { type Json, type JsonObject, jsonPointer, pointerParts } from '../json/json.ts'
import { createLru } from '../lru.ts'
import { patternBudget, refuseCostlySchema, refuseUncertainDefaults } from './schema-bounds.ts'

/** Keywords for forms, without effect on validity. */
const FORM_KEYWORDS = ['ui', 'widget', 'group', 'order', 'secret', 'example', 'patternErrorMessage']
const MAX_ERRORS = 50

/** ajv-formats is CommonJS: its default export arrives as a member. */
const addFormats = addFormatsModule.default

/** Of the schema that is being compiled. */
let budget = patternBudget()

/** Patterns run over what callers send: a linear engine cannot be stalled by them. */
const linearPattern = Object.assign(
  (pattern: string) => {
    budget.mustBeShort(pattern)
    const compiled = RE2JS.compile(pattern)
    budget.spend(compiled.programSize())
    // ajv tells patterns apart by their text
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern }
  },
  { code: 'linearPattern' },
)

/**
 * Compiles a JSON Schema (2020-12); defaults are filled in, types are never coerced, `$id` has no effect. What our own code emits (`trusted`) may use
 * any keyword and pattern; in a pack's schema an unknown keyword is a typo. That of another system (`foreign`) may have words that are not
 * known here, fills in nothing, and its validator stops at the first error, as with `first`. Throws `validation_failed`.
 */
export function compileSchema(
  given: JsonObject,
  { trusted = false, first = false, foreign = false } = {},
): ValidateFunction {
  // the rules of one revision hold for all; an $id would name this schema for all others of the process, and hide what has that name
  const { $schema: revision, $id: _id, ...rest } = given
  const schema = foreign || revision === undefined ? rest : { ...rest, $schema: revision }
  const text = JSON.stringify(schema)
  if (text.includes('"$async"')) throw new DomainError('validation_failed', '$async is not allowed in a schema')
  const key = `${trusted} ${first} ${foreign} ${text}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  if (!trusted) {
    refuseCostlySchema(schema)
    if (!foreign) refuseUncertainDefaults(schema)
  }
  budget = patternBudget()
  const ajv = trusted ? forOurs() : foreign ? forForeign() : first ? forLarge() : forPacks()
  try {
    const validate = ajv.compile(schema)
    if (text.length <= MAX_KEPT_LENGTH) compiled.set(key, validate)
    return validate
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new DomainError('validation_failed', `not a valid JSON Schema: ${message}`, {}, { cause: error })
  } finally {
    // the validator lives on; the registry would keep every schema ever seen
    ajv.removeSchema(schema)
  }
}

/** Packs are read again whenever a file of theirs changes, and many of their schemas are alike. */
const compiled = createLru<string, ValidateFunction>(500)
const MAX_KEPT_LENGTH = 10_000

const OPTIONS: Options = { allErrors: true, useDefaults: true, strictTypes: false, strictTuples: false }
// neither the schema of schemas nor the pass that shortens the code is worth its time at every start
const forOurs = renewed(() =>
  addFormats(new Ajv2020({ ...OPTIONS, strict: false, validateSchema: false, code: { optimize: false } })),
)
const ajvForPacks = (options: Options) =>
  addFormats(
    // a referenced schema is compiled once, and not again at each reference
    new Ajv2020({
      ...OPTIONS,
      ...options,
      verbose: true,
      inlineRefs: false,
      code: { regExp: linearPattern, optimize: false },
    }),
  ).addVocabulary(FORM_KEYWORDS)
const forPacks = renewed(() => ajvForPacks({}))
const forLarge = renewed(() => ajvForPacks({ allErrors: false }))
const forForeign = renewed(() => ajvForPacks({ allErrors: false, strict: false, useDefaults: false, logger: false }))

/** Ajv never frees compiled schemas, even removed ones: after this many a new instance replaces it. */
const MAX_COMPILED = 200

/** Compiling the schema of schemas takes a while: later than at import, and seldom. */
function renewed(create: () => Ajv2020): () => Ajv2020 {
  let made: { ajv: Ajv2020; left: number } | undefined
  return () => {
    if (made === undefined || made.left === 0) made = { ajv: create(), left: MAX_COMPILED }
    made.left -= 1
    return made.ajv
  }
}

/** More than any form has. Each member may break each of 500 alternatives: all errors of more members would fill the memory. */
const MANY = 200

/** True for a value of which only the first error can be found. */
export function hasManyMembers(value: Json): boolean {
  return hasMore(value, { left: MANY })
}

/** Tells whether a value has more members than `count` has left. */
function hasMore(value: Json, count: { left: number }): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members = Object.values(value)
  count.left -= members.length
  return count.left < 0 || members.some((member) => hasMore(member, count))
}

/** Violations as field errors; a missing or unknown member is named itself, not its parent. */
export function schemaFieldErrors(errors: readonly ErrorObject[] | null | undefined): FieldError[] {
  return (errors ?? []).slice(0, MAX_ERRORS).map((error) => {
    const loc = [...instanceLoc(error), ...memberOf(error)]
    return { pointer: jsonPointer(loc), loc, msg: messageOf(error), type: error.keyword }
  })
}

/** Returns where a value breaks a schema of another system or of a step, first of all; undefined where it fits. Throws as `compileSchema`. */
export function firstViolation(schema: JsonObject, value: Json, { foreign = false } = {}): FieldError | undefined {
  const validate = compileSchema(schema, foreign ? { foreign } : { first: true })
  // a validator may fill in defaults: what came is what counts
  if (validate(structuredClone(value))) return undefined
  const [first] = schemaFieldErrors(validate.errors)
  return first ?? { pointer: '', loc: [], msg: 'is not valid', type: 'invalid' }
}

/** Returns the path of an error in the instance. */
export function instanceLoc(error: ErrorObject): (string | number)[] {
  return pointerParts(error.instancePath).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

function memberOf({ params }: ErrorObject): string[] {
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty
  return typeof member === 'string' ? [member] : []
}

function allowed({ params }: ErrorObject): unknown[] {
  const { allowedValues } = params
  return Array.isArray(allowedValues) ? allowedValues : []
}

/** Returns the schema's own description of a pattern. */
function patternMessage({ parentSchema }: ErrorObject): string | undefined {
  const words: unknown = parentSchema?.['patternErrorMessage']
  return typeof words === 'string' ? words : undefined
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not known here'
    case 'enum':
      return `must be one of ${allowed(error)
        .map((value) => JSON.stringify(value))
        .join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`
    case 'pattern':
      return patternMessage(error) ?? error.message ?? error.keyword
    default:
      return error.message ?? error.keyword
  }
}
