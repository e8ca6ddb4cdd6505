import type { Json, JsonObject } from '../json/json.ts'
import { createLru } from '../lru.ts'
import { compileExpression, type Expression } from './compile-expression.ts'
import { createBudget, type EvaluationBudget } from './evaluation-budget.ts'
import { errorOffset, expressionError } from './expression-error.ts'

/** A piece of a template string. `offset` is where the expression's text begins in the whole. */
type TemplatePart = { kind: 'text'; text: string } | { kind: 'expression'; expression: Expression; offset: number }

const OPEN = '${{'
const MAX_CACHED = 2_000
const cached = createLru<string, TemplatePart[]>(MAX_CACHED)

/** Splits text into literal pieces and `${{ … }}` expressions. Throws `validation_failed` with the offset of the fault. */
export function parseTemplateString(text: string): TemplatePart[] {
  const known = cached.get(text)
  if (known !== undefined) return known
  const parts = split(text)
  cached.set(text, parts)
  return parts
}

/** Tells whether a string contains an expression. */
export function isTemplateString(text: string): boolean {
  return text.includes(OPEN)
}

function split(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let at = 0
  while (at < text.length) {
    const open = text.indexOf(OPEN, at)
    if (open === -1) break
    if (open > at) parts.push({ kind: 'text', text: text.slice(at, open) })
    const offset = open + OPEN.length
    const close = findClose(text, offset)
    if (close === -1) throw expressionError(text.slice(open), `the \`\${{\` is never closed by \`}}\``, open)
    parts.push({ kind: 'expression', expression: compileAt(text.slice(offset, close), offset), offset })
    at = close + 2
  }
  if (at < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(at) })
  return parts
}

function compileAt(text: string, offset: number): Expression {
  try {
    return compileExpression(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^expression `.*?`: /s, '') : String(error)
    throw expressionError(text, reason, offset + (errorOffset(error) ?? 0), error)
  }
}

/** Finds the `}}` that ends an expression, skipping those in strings and map literals. */
function findClose(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === '"' || char === "'") {
      at = endOfString(text, at)
      if (at === -1) return -1
    } else if (char === '{') depth++
    else if (char === '}' && depth > 0) depth--
    else if (char === '}' && text[at + 1] === '}') return at
  }
  return -1
}

function endOfString(text: string, start: number): number {
  const quote = text[start] ?? ''
  const delimiter = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote
  const isRaw = /(^|[^\w])b?r$/i.test(text.slice(Math.max(0, start - 3), start))
  for (let at = start + delimiter.length; at < text.length; at++) {
    if (text[at] === '\\' && !isRaw) at++
    else if (text.startsWith(delimiter, at)) return at + delimiter.length - 1
  }
  return -1
}

/**
 * Replaces every `${{ … }}` inside a JSON value. A string that is exactly one expression takes the type of its result; within text, a
 * string is inserted unchanged and other values as JSON. All expressions share one budget. Throws `validation_failed` that names the
 * expression.
 */
export function renderValue(value: Json, scope: JsonObject, budget: EvaluationBudget = createBudget()): Json {
  if (typeof value === 'string')
    return isTemplateString(value) ? renderString(parseTemplateString(value), scope, budget) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => renderValue(item, scope, budget))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, scope, budget)]))
}

function renderString(parts: TemplatePart[], scope: JsonObject, budget: EvaluationBudget): Json {
  const [only] = parts
  if (parts.length === 1 && only?.kind === 'expression') return only.expression.evaluate(scope, budget)
  return parts
    .map((part) => (part.kind === 'text' ? part.text : inText(part.expression.evaluate(scope, budget))))
    .join('')
}

function inText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
