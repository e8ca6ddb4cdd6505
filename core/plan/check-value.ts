import { DomainError } from '../errors.ts'
import { compileExpression, type Expression } from '../expression/compile-expression.ts'
import { errorOffset } from '../expression/expression-error.ts'
import { isTemplateString, parseTemplateString } from '../expression/parse-template-string.ts'
import type { Json } from '../json/json.ts'
import { checkReferences, type NamesInScope } from './check-references.ts'
import type { Fault } from './fault.ts'

type Path = (string | number)[]

/** Checks every `${{ … }}` inside a value: syntax, types, and what it refers to. */
export function checkValue(value: Json, path: Path, names: NamesInScope): Fault[] {
  if (typeof value === 'string') return isTemplateString(value) ? checkTemplateString(value, path, names) : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, index) => checkValue(item, [...path, index], names))
  return Object.entries(value).flatMap(([key, item]) => [
    ...(isTemplateString(key) ? [{ path: [...path, key], message: 'a key cannot hold an expression', key: true }] : []),
    ...checkValue(item, [...path, key], names),
  ])
}

/** Checks a bare condition such as `when`: syntax, references, and that it can be true or false. */
export function checkCondition(text: string, path: Path, names: NamesInScope): Fault[] {
  return checkBare(text, path, names, (type) =>
    type === 'bool' ? undefined : `a condition is true or false, this is a ${type}`,
  )
}

/** Checks a bare expression that is to be a list. */
export function checkList(text: string, path: Path, names: NamesInScope): Fault[] {
  return checkBare(text, path, names, (type) =>
    type.startsWith('list') ? undefined : `a list is needed here, this is a ${type}`,
  )
}

/** `mismatch` describes a type that is known to be wrong before anything runs. */
function checkBare(
  text: string,
  path: Path,
  names: NamesInScope,
  mismatch: (type: string) => string | undefined,
): Fault[] {
  if (isTemplateString(text)) return [{ path, message: `this is bare CEL: write it without \${{ }}` }]
  const faults: Fault[] = []
  const expression = attempt(() => compileExpression(text), path, faults)
  if (expression === undefined) return faults
  const message = expression.type === 'dyn' ? undefined : mismatch(expression.type)
  return message === undefined ? referenceFaults(expression, path, 0, names) : [{ path, message }]
}

function checkTemplateString(text: string, path: Path, names: NamesInScope): Fault[] {
  const faults: Fault[] = []
  const parts = attempt(() => parseTemplateString(text), path, faults)
  if (parts === undefined) return faults
  return parts.flatMap((part) =>
    part.kind === 'text' ? [] : referenceFaults(part.expression, path, part.offset, names),
  )
}

function referenceFaults(expression: Expression, path: Path, base: number, names: NamesInScope): Fault[] {
  return checkReferences(expression, names).map(({ message, offset }) => ({ path, message, offset: base + offset }))
}

function attempt<Result>(parse: () => Result, path: Path, faults: Fault[]): Result | undefined {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    faults.push({ path, message: error.message, offset: errorOffset(error) ?? 0 })
    return undefined
  }
}
