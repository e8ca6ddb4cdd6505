import { Liquid, LiquidError, type Variable } from 'liquidjs'
import { isTemplateString } from '#core/expression/parse-template-string.ts'
import type { Json } from '#core/json/json.ts'
import { checkReferences, type NamesInScope } from '#core/plan/check-references.ts'

const liquid = new Liquid({ templates: {} })

export interface LiquidNames extends NamesInScope {
  /** the step's own variables for its text */
  data?: Json | undefined
}

interface LiquidFault {
  /** from 1 */
  line: number
  column: number
  /** in the text */
  offset: number
  message: string
}

/** Checks a Liquid text: its syntax, and unknown names. An unknown name would render as nothing, silently. */
export function checkLiquid(text: string, { data, ...names }: LiquidNames): LiquidFault[] {
  // the text before CEL has filled it in tells nothing
  if (isTemplateString(text)) return []
  const at = (line: number, column: number, message: string) => ({
    line,
    column,
    offset: offsetOf(text, line, column),
    message,
  })
  try {
    const { globals } = liquid.analyzeSync(liquid.parse(text), { partials: false })
    const variables = new Map(names.variables)
    for (const name of dataNames(data)) variables.set(name, undefined)
    return Object.values(globals)
      .flat()
      .flatMap((variable) => {
        const path = pathOf(variable)
        // all of them, as in a loop over the steps
        if (path.length === 1 && variables.has(path[0] ?? '')) return []
        const { row, col } = variable.location
        return checkReferences({ references: [{ path, offset: 0 }] }, { ...names, variables }).map(({ message }) =>
          at(row, col, message),
        )
      })
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const [line, column] = LiquidError.is(error) ? error.token.getPosition() : [1, 1]
    return [at(line ?? 1, column ?? 1, error.message.replace(/, line:\d+, col:\d+.*/s, ''))]
  }
}

function dataNames(data: Json | undefined): string[] {
  return ['data', ...(typeof data === 'object' && data !== null && !Array.isArray(data) ? Object.keys(data) : [])]
}

/** Up to the first member that is only known when the text is rendered. */
function pathOf({ segments }: Variable): string[] {
  const end = segments.findIndex((segment) => typeof segment === 'object')
  return (end === -1 ? segments : segments.slice(0, end)).map(String)
}

function offsetOf(text: string, line: number, column: number): number {
  const before = text.split('\n').slice(0, line - 1)
  return before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1
}
