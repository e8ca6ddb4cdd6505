import type { Expression } from '../expression/compile-expression.ts'
import type { JsonObject } from '../json/json.ts'
import { didYouMean } from '../text/did-you-mean.ts'

const RUN_MEMBERS = new Set(['id', 'workspace_id', 'environment', 'lane', 'reason', 'decisions'])

/**
 * Returns the names that expressions and reports of a template may use, with their known members; without a schema its inputs are unknown.
 */
export function templateVariables(inputs: JsonObject | undefined): Map<string, ReadonlySet<string> | undefined> {
  return new Map<string, ReadonlySet<string> | undefined>([
    ['inputs', inputs === undefined ? undefined : inputNames(inputs)],
    ['steps', undefined],
    ['run', RUN_MEMBERS],
    ['trigger', undefined],
  ])
}

/** The declared inputs, when the schema is so plain that there can be no others. */
function inputNames(schema: JsonObject): ReadonlySet<string> | undefined {
  const { properties } = schema
  const isOpen = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'unevaluatedProperties'].some(
    (key) => key in schema,
  )
  if (isOpen || (schema.additionalProperties ?? false) !== false) return undefined
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return new Set()
  return new Set(Object.keys(properties))
}

/** Names that an expression may use at its place. */
export interface NamesInScope {
  /** variables, each with the members that it has; undefined when they are not known before the run */
  variables: ReadonlyMap<string, ReadonlySet<string> | undefined>
  /** ids of the steps that are settled by then, and of those that are not */
  settled?: ReadonlySet<string>
  later?: ReadonlySet<string>
  /** the fault of naming a later step, where that is not its place in the file */
  laterFault?: (step: string) => string
  /** the outputs of each step, where they are known */
  outputs?: ReadonlyMap<string, ReadonlySet<string>>
}

export interface ReferenceFault {
  message: string
  offset: number
}

const STEP_MEMBERS = new Set(['outputs', 'status'])

/** Reports the references of an expression that cannot be resolved: unknown variables, members and steps, or later steps. */
export function checkReferences(expression: Pick<Expression, 'references'>, names: NamesInScope): ReferenceFault[] {
  return expression.references.flatMap(({ path, offset }): ReferenceFault[] => {
    const message = faultOf(path, names)
    return message === undefined ? [] : [{ message, offset }]
  })
}

function faultOf([name = '', member, field, output]: string[], names: NamesInScope): string | undefined {
  if (name === 'steps' && names.settled !== undefined)
    return stepFault(member, field, names, names.settled) ?? outputFault(member, field, output, names)
  if (!names.variables.has(name))
    return `unknown variable ${name}: there are ${listed([...names.variables.keys()])}${didYouMean(name, names.variables.keys())}`
  const members = names.variables.get(name)
  if (member === undefined || members === undefined || members.has(member)) return undefined
  return members.size === 0
    ? `${name} has no members`
    : `there is no ${name}.${member}: there are ${listed([...members])}${didYouMean(member, members)}`
}

function stepFault(
  step: string | undefined,
  field: string | undefined,
  { later, laterFault = notYet }: NamesInScope,
  settled: ReadonlySet<string>,
): string | undefined {
  if (step === undefined) return 'name a step: steps.<id>.outputs or steps.<id>.status'
  if (later?.has(step) === true) return laterFault(step)
  if (!settled.has(step)) {
    return settled.size === 0
      ? `there is no step ${step} before this one`
      : `there is no step ${step}: there are ${listed([...settled])}${didYouMean(step, settled)}`
  }
  if (field === undefined || STEP_MEMBERS.has(field)) return undefined
  return `a step has outputs and status, not ${field}; write steps.${step}.outputs.${field}${didYouMean(field, STEP_MEMBERS)}`
}

function notYet(step: string): string {
  return `step ${step} has not run yet at this point; refer to an earlier step`
}

function outputFault(
  step = '',
  field: string | undefined,
  output: string | undefined,
  { outputs }: NamesInScope,
): string | undefined {
  const known = outputs?.get(step)
  if (known === undefined || field !== 'outputs' || output === undefined || known.has(output)) return undefined
  return known.size === 0
    ? `step ${step} has no outputs`
    : `step ${step} has no output ${output}: there are ${listed([...known])}${didYouMean(output, known)}`
}

function listed(names: string[]): string {
  return names.length <= 12 ? names.join(', ') : `${names.slice(0, 12).join(', ')}, …`
}
