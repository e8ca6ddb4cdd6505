import { compileExpression } from '../expression/compile-expression.ts'
import { isTemplateString, parseTemplateString } from '../expression/parse-template-string.ts'
import type { Json } from '../json/json.ts'

/** Returns the steps that a condition refers to; all of them where it names none. */
export function stepsInCondition(condition: string, among: readonly string[]): string[] {
  return named(compileExpression(condition).references, among)
}

/** The same of a value with `${{ … }}` expressions. */
export function stepsInValue(value: Json, among: readonly string[]): string[] {
  if (typeof value === 'string') {
    if (!isTemplateString(value)) return []
    return parseTemplateString(value).flatMap((part) =>
      part.kind === 'expression' ? named(part.expression.references, among) : [],
    )
  }
  if (typeof value !== 'object' || value === null) return []
  return (Array.isArray(value) ? value : Object.values(value)).flatMap((each) => stepsInValue(each, among))
}

/** Returns the steps among the paths of variables. */
export function stepsInPaths(paths: readonly string[][], among: readonly string[]): string[] {
  return named(
    paths.map((path) => ({ path })),
    among,
  )
}

function named(references: readonly { path: string[] }[], among: readonly string[]): string[] {
  return references.flatMap(({ path: [variable, step] }) => {
    if (variable !== 'steps') return []
    return step === undefined ? [...among] : among.filter((id) => id === step)
  })
}
