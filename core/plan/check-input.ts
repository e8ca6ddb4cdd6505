import type { ErrorObject, ValidateFunction } from 'ajv'
import { isTemplateString } from '../expression/parse-template-string.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Operator } from '../operator.ts'
import { checkCondition } from './check-value.ts'
import type { Fault } from './fault.ts'
import { compileSchema, instanceLoc, schemaFieldErrors } from './json-schema.ts'

type Path = (string | number)[]

const validators = new WeakMap<JsonObject, ValidateFunction>()
/** Keywords that judge the shape of a mapping itself, whatever its values turn out to be. */
const SHAPE_KEYWORDS = new Set([
  'required',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'dependentRequired',
])

/** Checks what is already known of a step's input against its operator's schema; values that hold expressions are left to the run. */
export function checkInput(input: JsonObject, operator: Operator, path: Path): Fault[] {
  if (operator.wants_scope === true && 'scope' in input) {
    return [{ path: [...path, 'scope'], message: 'scope is set by the engine', key: true }]
  }
  const validate = validatorOf(operator)
  const given = operator.wants_scope === true ? { ...input, scope: {} } : structuredClone(input)
  const faults = validate(given)
    ? []
    : relevant(validate.errors ?? [], given, operator).map((error) => toFault(error, path))
  return [...faults, ...checkBareExpressions(input, path)]
}

function validatorOf(operator: Operator): ValidateFunction {
  const known = validators.get(operator.input_schema)
  if (known !== undefined) return known
  const validate = compileSchema(operator.input_schema, { trusted: true })
  validators.set(operator.input_schema, validate)
  return validate
}

function relevant(errors: ErrorObject[], input: JsonObject, operator: Operator): ErrorObject[] {
  return errors.filter((error) => {
    const loc = instanceLoc(error)
    if (operator.wants_scope === true && loc[0] === 'scope') return false
    if (!isDynamic(valueAt(input, loc)))
      return !isInsideAlternative(error) || !isDynamic(valueAt(input, loc.slice(0, 1)))
    return SHAPE_KEYWORDS.has(error.keyword) && !isInsideAlternative(error) && typeof valueAt(input, loc) === 'object'
  })
}

/** Inside `anyOf` and the like one branch may fail because another one is meant. */
function isInsideAlternative(error: ErrorObject): boolean {
  return /\/(anyOf|oneOf|not|if|then|else)\b/.test(error.schemaPath)
}

function isDynamic(value: Json | undefined): boolean {
  if (typeof value === 'string') return isTemplateString(value)
  if (typeof value !== 'object' || value === null) return false
  return (Array.isArray(value) ? value : Object.values(value)).some(isDynamic)
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let at = value
  for (const key of path) {
    at = typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, key)?.value : undefined
  }
  return at
}

function toFault(error: ErrorObject, path: Path): Fault {
  const [field] = schemaFieldErrors([error])
  const loc = [...path, ...(field?.loc ?? [])]
  const isUnknown = error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties'
  return {
    path: loc,
    message: `${loc.at(-1) ?? 'with'} ${field?.msg ?? 'is invalid'}`,
    ...(isUnknown && { key: true }),
  }
}

/** `until` is bare CEL over the response that it waits for. */
const RESPONSE = { variables: new Map([['response', new Set(['status', 'headers', 'json', 'text'])]]) }

function checkBareExpressions({ until }: JsonObject, path: Path): Fault[] {
  return typeof until === 'string' ? checkCondition(until, [...path, 'until'], RESPONSE) : []
}
