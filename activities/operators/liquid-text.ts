import { Liquid, type LiquidOptions } from 'liquidjs'
import type { Json } from '#core/json/json.ts'

/** Such as `where_exp`: a filter that evaluates a text, in which variables are not told. */
const EXPRESSION_FILTER = /\w_exp\b/

/** Templates cannot read files, reach prototypes, loop without end or grow without bound. */
export function createLiquid(options: Pick<LiquidOptions, 'outputEscape'> = {}): Liquid {
  return new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: 1024 * 1024,
    renderLimit: 1_000,
    memoryLimit: 10_000_000,
    templates: {},
    ...options,
  })
}

/** The variables that a text reads, as paths. What is no text, no Liquid, or only known when it runs may read all steps. */
export function variablesOf(liquid: Liquid, text: Json | undefined): string[][] {
  if (typeof text !== 'string' || text.includes('${{') || EXPRESSION_FILTER.test(text)) return [['steps']]
  try {
    return liquid.globalVariableSegmentsSync(text).map(leadingNames)
  } catch {
    return [['steps']]
  }
}

/** Behind an index that is computed, nothing is known. */
function leadingNames(path: readonly unknown[]): string[] {
  const computed = path.findIndex((part) => typeof part !== 'string')
  return path.slice(0, computed === -1 ? path.length : computed).map(String)
}
