import ts from 'typescript'
import { FOLDERS, folderOf } from './folders.ts'
import { places } from './places.ts'
import { pathOf, type Tree } from './sources.ts'
import { walk } from './syntax.ts'
import { type Violation, violation } from './violation.ts'

const MOST = 4

/** Recursions over somebody else's tree, whose way down is all that they carry. */
const MAY = places('takes more than four parameters', 'core/sql/read-statement.ts')

/** Arguments that are told apart by their place alone are mixed up. What is called by others, as a callback is, takes what it is given. */
export function ruleOfParameters({ code }: Tree): Violation[] {
  return code.flatMap((file) => {
    const path = pathOf(file)
    const found: Violation[] = []
    if (FOLDERS[folderOf(path)] === undefined) return []
    walk(file, (node) => {
      if (!isNamed(node) || node.parameters.length <= MOST || MAY.has(path)) return
      const what = `takes ${node.parameters.length} parameters, where ${MOST} are the most`
      found.push(violation(node, what, 'Take one object that names what belongs together, as StepWork does'))
    })
    return found
  })
}

/** Functions that others call by a name: declared, methods, or given to one. */
function isNamed(node: ts.Node): node is ts.FunctionLikeDeclaration {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node)) return true
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false
  if (node.name !== undefined) return true
  let holder: ts.Node = node.parent
  while (ts.isParenthesizedExpression(holder) || ts.isAsExpression(holder) || ts.isSatisfiesExpression(holder))
    holder = holder.parent
  return ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder)
}
