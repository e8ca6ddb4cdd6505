import ts from 'typescript'
import { readFunctions } from '#store/read-sql.ts'
import type { Source } from '../house/sources.ts'

const ACTION = /^[a-z_]+\.[a-z_<>.]+$/

/** Every `action` that the code or the database gives to an audit record; what is filled in stands in angle brackets. */
export function auditActions(sources: readonly Source[]): string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'action') collect(node.initializer)
    node.forEachChild(visit)
  }
  const collect = (node: ts.Node): void => {
    const text = textOf(node)
    if (text !== undefined && ACTION.test(text)) found.add(text)
    else node.forEachChild(collect)
  }
  for (const { path, text } of sources)
    if (/\baction:/.test(text)) visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  for (const { text } of readFunctions())
    for (const [, action = ''] of text.matchAll(/'action', '([^']+)'/g)) found.add(action)
  return [...found].sort()
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (!ts.isTemplateExpression(node)) return undefined
  return (
    node.head.text + node.templateSpans.map((span) => `<${span.expression.getText()}>${span.literal.text}`).join('')
  )
}
