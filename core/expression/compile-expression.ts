import {
  TypeError as CelTypeError,
  Environment,
  EvaluationError,
  ParseError,
  type ParseResult,
} from '@marcbachmann/cel-js'
import type { Json, JsonObject } from '../json/json.ts'
import { createLru } from '../lru.ts'
import { fromCel, toDouble, toMap } from './cel-value.ts'
import { createBudget, type EvaluationBudget } from './evaluation-budget.ts'
import { expressionError } from './expression-error.ts'
import { inspectExpression, type Reference, usedMembers } from './inspect-expression.ts'
import { meterCel } from './metered-cel.ts'

export interface Expression {
  text: string
  /** names of the variables that it reads */
  variables: string[]
  references: Reference[]
  /** the CEL type that is known before anything runs; `dyn` when it depends on the values */
  type: string
  /**
   * Throws `validation_failed` with the expression and the reason, also when the result is missing. Expressions that are evaluated together
   * share a budget; without one, the expression has its own.
   */
  evaluate(scope: JsonObject, budget?: EvaluationBudget): Json
}

const MAX_TEXT = 4_096
const MAX_CACHED = 2_000

const cel = new Environment({
  unlistedVariablesAreDyn: true,
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 500, maxDepth: 50, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 },
})
// A JSON number is an integer or a double by chance (1.0 and 1 are the same text), so both must mix.
const MIXED: [string, (left: unknown, right: unknown) => number][] = [
  ['+', (left, right) => toDouble(left) + toDouble(right)],
  ['-', (left, right) => toDouble(left) - toDouble(right)],
  ['*', (left, right) => toDouble(left) * toDouble(right)],
  ['/', (left, right) => toDouble(left) / toDouble(right)],
]
for (const [operator, apply] of MIXED) {
  cel.registerOperator(`double ${operator} int`, apply)
  cel.registerOperator(`int ${operator} double`, apply)
}

const metered = meterCel(cel)

const cached = createLru<string, Expression>(MAX_CACHED)

/** Parses and type-checks a CEL expression. Throws `validation_failed` with the offset of the fault; cached by text. */
export function compileExpression(text: string): Expression {
  const known = cached.get(text)
  if (known !== undefined) return known
  const compiled = compile(text)
  cached.set(text, compiled)
  return compiled
}

function compile(text: string): Expression {
  if (text.length > MAX_TEXT) throw expressionError(text, `longer than ${MAX_TEXT} characters`)
  if (text.trim() === '') throw expressionError(text, 'the expression is empty')
  const parsed = parse(text)
  const references = inspectExpression(text, parsed.ast, (name) => cel.hasVariable(name))
  const checked = parsed.check()
  if (!checked.valid) throw celError(text, checked.error)
  metered.meter(parsed)
  const used = usedMembers(references)
  return {
    text,
    variables: [...used.members.keys()],
    references,
    type: checked.type ?? 'dyn',
    evaluate: (scope, budget = createBudget()) => run(text, parsed, (spent) => toMap(scope, used, spent), budget),
  }
}

function parse(text: string): ParseResult {
  try {
    return cel.parse(text)
  } catch (error) {
    throw celError(text, error)
  }
}

function run(
  text: string,
  parsed: ParseResult,
  variablesOf: (budget: EvaluationBudget) => Map<string, unknown>,
  budget: EvaluationBudget,
): Json {
  let result: Json | undefined
  try {
    const variables = Object.assign(Object.create(null), Object.fromEntries(variablesOf(budget)))
    result = metered.evaluate(budget, () => fromCel(parsed(variables), budget))
  } catch (error) {
    throw celError(text, error)
  }
  if (result === undefined) throw expressionError(text, 'there is no value; give it one with .orValue(…)')
  return result
}

function celError(text: string, error: unknown) {
  if (error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError) {
    return expressionError(text, error.summary, error.range?.start ?? 0)
  }
  return expressionError(text, error instanceof Error ? error.message : String(error), 0, error)
}
