import ts from 'typescript'
import { pathOf, type Tree } from './sources.ts'
import { bare, symbolOf, walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

const ROUTES = 'api/routes/'
const MAX_LINES = 15
const INSTEAD = `A handler adapts one verb in at most ${MAX_LINES} lines: move what it decides or looks up into the verb of services that it calls, and what it reads of the request into a function of api`

/** The handler of a route is short enough to see that it only adapts a verb. */
export function ruleOfHandlers({ code, checker }: Tree): Violation[] {
  return code
    .filter((file) => pathOf(file).startsWith(ROUTES))
    .flatMap((file) => {
      const found: Violation[] = []
      walk(file, (node) => {
        if (!ts.isCallExpression(node) || node.expression.getText() !== 'defineRoute') return
        const handler = node.arguments[1] && functionOf(node.arguments[1], checker)
        if (handler === undefined) found.push(violation(node, 'takes its handler from somewhere else', INSTEAD))
        else if (linesOf(handler) > MAX_LINES)
          found.push(violation(handler, `has a handler of ${linesOf(handler)} lines`, INSTEAD))
      })
      return found
    })
}

type WithBody = ts.FunctionLikeDeclaration & { body: ts.ConciseBody }

/** The function that stands there, or that a name of the same file stands for. */
function functionOf(node: ts.Expression, checker: ts.TypeChecker): WithBody | undefined {
  const at = bare(node)
  if (hasBody(at)) return at
  const declared = ts.isIdentifier(at) ? symbolOf(at, checker)?.valueDeclaration : undefined
  if (declared === undefined) return undefined
  if (hasBody(declared)) return declared
  if (!ts.isVariableDeclaration(declared) || declared.initializer === undefined) return undefined
  const value = bare(declared.initializer)
  return hasBody(value) ? value : undefined
}

function hasBody(node: ts.Node): node is WithBody {
  return (
    (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node)) &&
    node.body !== undefined
  )
}

/** Those between the braces, or those of the expression. */
function linesOf({ body }: WithBody): number {
  const file = body.getSourceFile()
  const line = (position: number) => file.getLineAndCharacterOfPosition(position).line
  const lines = line(body.getEnd()) - line(body.getStart()) + 1
  return ts.isBlock(body) ? lines - 2 : lines
}
