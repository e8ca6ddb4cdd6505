import type { ValidateFunction } from 'ajv'
import { DomainError } from '../errors.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import type { Operator } from '../operator.ts'
import { checkCondition } from './check-value.ts'
import type { Fault } from './fault.ts'
import { compileSchema, instanceLoc } from './json-schema.ts'
import { errorToFault, knownErrors } from './known-errors.ts'

type Path = (string | number)[]

const validators = new WeakMap<JsonObject, ValidateFunction>()

/** Checks what is already known of a step's input against its operator's schema; values that hold expressions are left to the run. */
export function checkInput(input: JsonObject, operator: Operator, path: Path): Fault[] {
  if (operator.wants_scope === true && 'scope' in input) {
    return [{ path: [...path, 'scope'], message: 'scope is set by the engine', key: true }]
  }
  const validate = validatorOf(operator)
  const given = operator.wants_scope === true ? { ...input, scope: {} } : structuredClone(input)
  const faults = validate(given)
    ? []
    : knownErrors(validate.errors ?? [], given)
        .filter((error) => operator.wants_scope !== true || instanceLoc(error)[0] !== 'scope')
        .map((error) => errorToFault(error, path, operator.input_schema))
  const invalid = operator.findInvalid?.(input)
  return [
    ...faults,
    ...(invalid === undefined ? [] : [{ path: [...path, invalid.field], message: invalid.message }]),
    ...checkBareExpressions(input, path),
    ...checkAsWritten(input, operator, path),
  ]
}

function validatorOf(operator: Operator): ValidateFunction {
  const known = validators.get(operator.input_schema)
  if (known !== undefined) return known
  const validate = compileSchema(operator.input_schema, { trusted: true })
  validators.set(operator.input_schema, validate)
  return validate
}

/** Checks the parts of an input that may contain no expression, and those that are schemas. */
function checkAsWritten(input: JsonObject, { as_written = {} }: Operator, path: Path): Fault[] {
  return Object.entries(as_written).flatMap(([field, kind]): Fault[] => {
    const value = input[field]
    if (value === undefined) return []
    if (JSON.stringify(value).includes('${{'))
      return [{ path: [...path, field], message: `${field} is written out in the template: no expression fills it in` }]
    return kind === 'json_schema' && isObject(value) ? schemaFault(value, [...path, field]) : []
  })
}

function schemaFault(schema: JsonObject, path: Path): Fault[] {
  try {
    compileSchema(schema)
    return []
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return [{ path, message: error.message }]
  }
}

const RESPONSE = new Set(['status', 'headers', 'json', 'text'])

/** `until` is bare CEL over the response that it waits for, and over the values that the input gives it. */
function checkBareExpressions({ until, given }: JsonObject, path: Path): Fault[] {
  if (typeof until !== 'string') return []
  const variables = new Map([['response', RESPONSE]])
  if (isObject(given)) variables.set('given', new Set(Object.keys(given)))
  return checkCondition(until, [...path, 'until'], { variables })
}
