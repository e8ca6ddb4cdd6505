import { isObject, type JsonObject, pointerParts, valueAt } from '../json/json.ts'
import type { Fault } from '../plan/fault.ts'
import { errorToFault, isDynamic, keysOf, knownErrors } from '../plan/known-errors.ts'
import { inputFaults, inputsValidator } from '../plan/validate-inputs.ts'
import { typeFaults, wrongType } from '../plan/value-type.ts'
import { secretPaths } from '../secret/secret-paths.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { PipelineTemplate } from './pipeline-facts.ts'

interface GivenInputs {
  /** the template that takes them: `pack/template` */
  run: string
  inputs: JsonObject
}

interface KnownInputs extends GivenInputs {
  /** schema of what expressions know as `inputs` */
  known: JsonObject
}

/** Checks a step's inputs against those that its template takes; `path` leads to the step. */
export function checkWith(given: KnownInputs, { inputs_schema }: PipelineTemplate, path: Fault['path']): Fault[] {
  const { run, inputs } = given
  const secrets = secretPaths(inputs_schema).map(pointerParts)
  return [
    ...secrets.flatMap((secret) => secretFault(given, inputs_schema, secret, path)),
    ...invalidInputs(),
    ...typeFaults(
      inputs,
      { schema: inputs_schema, known: { inputs: given.known }, path: [...path, 'with'] },
      wrongType(run),
    ),
  ]

  function invalidInputs(): Fault[] {
    const validate = inputsValidator(inputs_schema)
    // the validator fills in defaults
    if (validate(structuredClone(inputs))) return []
    return knownErrors(validate.errors ?? [], inputs).flatMap((error) => {
      const fault = errorToFault(error, [...path, 'with'], inputs_schema)
      const at = fault.path.slice(path.length + 1)
      if (secrets.some((secret) => secret.every((part, index) => at[index] === part))) return []
      return [{ ...fault, message: at.length === 1 ? inputFault(error, String(at[0]), run) : fault.message }]
    })
  }

  function inputFault(error: Parameters<typeof errorToFault>[0], name: string, template: string): string {
    if (error.keyword === 'required') return `${template} needs the input ${name}: give it in with`
    if (error.instancePath !== '') return errorToFault(error, [], inputs_schema).message
    return `${template} has no input ${name}${didYouMean(name, keysOf(inputs_schema))}`
  }
}

/** Checks the inputs that a compensation takes from the run that it compensates; `path` leads to the step. */
export function checkCompensation(
  compensate: string,
  { inputs_schema }: PipelineTemplate,
  { run, inputs, template }: GivenInputs & { template: PipelineTemplate },
  path: Fault['path'],
): Fault[] {
  const at = [...path, 'compensate']
  const taken = keysOf(inputs_schema)
  const given = [...Object.keys(inputs), ...defaults(template.inputs_schema)]
  const missing = needs(inputs_schema).filter((name) => !given.includes(name))
  const passed = Object.fromEntries(Object.entries(inputs).filter(([name]) => taken.includes(name)))
  return [
    ...missing.map((name) => {
      const canGive = keysOf(template.inputs_schema).includes(name)
      const end = canGive ? `: give ${name} in with` : `, but ${run} has no input ${name}`
      const start = `${compensate} needs the input ${name}; a compensation gets the inputs of the run that it undoes`
      return { path: at, message: `${start}${end}` }
    }),
    ...inputFaults(inputs_schema, passed, []).map(({ message }) => ({
      path: at,
      message: `${compensate} gets the inputs of the run that it undoes, but does not accept one of them: ${message}`,
    })),
  ]
}

function secretFault(
  { run, inputs }: GivenInputs,
  schema: JsonObject,
  secret: string[],
  path: Fault['path'],
): Fault | [] {
  const name = secret.join('.')
  if (isNeeded(schema, secret)) {
    const message = `${run} needs the secret input ${name}, but a pipeline stores its inputs: it cannot run this template`
    return { path: [...path, 'uses'], message }
  }
  const at = holderOf(inputs, secret)
  if (at === undefined) return []
  const message = `the input ${name} of ${run} is secret, but a pipeline stores its inputs: remove it`
  return { path: [...path, 'with', ...at], message, key: true }
}

/** Returns the place of a value, or of the expression that would bring it along. */
function holderOf(inputs: JsonObject, secret: string[]): string[] | undefined {
  if (valueAt(inputs, secret) !== undefined) return secret
  const above = secret.map((_, index) => secret.slice(0, index + 1))
  return above.find((at) => {
    const value = valueAt(inputs, at)
    return typeof value === 'string' && isDynamic(value)
  })
}

/** Tells whether a run needs a secret: it is required, and so are all objects around it. */
function isNeeded(schema: JsonObject, [name = '', ...rest]: string[]): boolean {
  if (!needs(schema).includes(name)) return false
  const member = valueAt(schema, ['properties', name])
  return rest.length === 0 || (isObject(member) && isNeeded(member, rest))
}

/** Required inputs that have no default. */
function needs(schema: JsonObject): string[] {
  const { required } = schema
  const filled = defaults(schema)
  return (Array.isArray(required) ? required.map(String) : []).filter((name) => !filled.includes(name))
}

function defaults(schema: JsonObject): string[] {
  return keysOf(schema).filter((name) => valueAt(schema, ['properties', name, 'default']) !== undefined)
}
