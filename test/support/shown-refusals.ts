import ts from 'typescript'
import type { Route } from '#api/define-route.ts'

/** The refusals that an operation declares and whose codes its file of tests never says; what a comment says does not count. */
export function notShown({ problems }: Pick<Route, 'problems'>, text: string): string[] {
  const shown = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) shown.add(node.text)
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile('any.ts', text, ts.ScriptTarget.Latest, true))
  return problems.filter((code) => !shown.has(code))
}
