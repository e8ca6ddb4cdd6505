import { didYouMean } from '../did-you-mean.ts'
import type { Expression } from '../expression/compile-expression.ts'

/** Names that an expression may use at its place. */
export interface NamesInScope {
  /** variables, each with the members that it has; undefined when they are not known before the run */
  variables: ReadonlyMap<string, ReadonlySet<string> | undefined>
  /** ids of the steps that are settled by then, and of those that are not */
  settled?: ReadonlySet<string>
  later?: ReadonlySet<string>
}

export interface ReferenceFault {
  message: string
  offset: number
}

const STEP_MEMBERS = new Set(['outputs', 'status'])

/** What an expression refers to and cannot have: unknown variables, members and steps, or steps that come later. */
export function checkReferences(expression: Pick<Expression, 'references'>, names: NamesInScope): ReferenceFault[] {
  return expression.references.flatMap(({ path, offset }): ReferenceFault[] => {
    const message = faultOf(path, names)
    return message === undefined ? [] : [{ message, offset }]
  })
}

function faultOf([name = '', member, field]: string[], names: NamesInScope): string | undefined {
  if (name === 'steps' && names.settled !== undefined) return stepFault(member, field, names.settled, names.later)
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
  settled: ReadonlySet<string>,
  later: ReadonlySet<string> = new Set(),
): string | undefined {
  if (step === undefined) return 'name a step: steps.<id>.outputs or steps.<id>.status'
  if (later.has(step)) return `step ${step} has not run yet at this point; refer to an earlier step`
  if (!settled.has(step)) {
    return settled.size === 0
      ? `there is no step ${step} before this one`
      : `there is no step ${step}: there are ${listed([...settled])}${didYouMean(step, settled)}`
  }
  if (field === undefined || STEP_MEMBERS.has(field)) return undefined
  return `a step has outputs and status, not ${field}; write steps.${step}.outputs.${field}${didYouMean(field, STEP_MEMBERS)}`
}

function listed(names: string[]): string {
  return names.length <= 12 ? names.join(', ') : `${names.slice(0, 12).join(', ')}, …`
}
