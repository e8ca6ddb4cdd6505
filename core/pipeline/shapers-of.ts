import { compileExpression } from '../expression/compile-expression.ts'
import { isTemplateString, parseTemplateString } from '../expression/parse-template-string.ts'
import type { Json } from '../json/json.ts'
import type { PipelineDefinition, PipelineStep } from './types.ts'

/** Returns the steps that shape the inputs of a step's runs: itself, the steps whose outcome goes into its inputs, and theirs. */
export function shapersOf({ steps }: Pick<PipelineDefinition, 'steps'>, stepId: string): Set<string> {
  const found = new Set<string>()
  const open = [stepId]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    const step = steps.find((each) => each.id === id)
    if (step !== undefined) open.push(...namedBy(step))
  }
  return found
}

function namedBy(step: PipelineStep): string[] {
  if (step.kind !== 'run') return []
  const items = step.for_each === undefined ? [] : compileExpression(step.for_each.items).references
  return [...items, ...referencesIn(step.with)].flatMap(({ path: [variable, id] }) =>
    variable === 'steps' && id !== undefined ? [id] : [],
  )
}

function referencesIn(value: Json): { path: string[] }[] {
  if (typeof value === 'string') {
    if (!isTemplateString(value)) return []
    return parseTemplateString(value).flatMap((part) => (part.kind === 'expression' ? part.expression.references : []))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(referencesIn)
}
