import ts from 'typescript'
import { FOLDERS, folderOf } from './folders.ts'
import { own } from './own.ts'
import { pathOf, type Source, type Tree } from './sources.ts'
import { constant } from './syntax.ts'
import { CALLERS, FUNCTIONS, MIGRATED, TABLES } from './tables.ts'
import { type Violation, violation } from './violation.ts'

/** A hole in a template. */
const HOLE = '\u0000'
const WRITES = /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate(?:\s+table)?|copy)\s+(?:only\s+)?/gi
const NAME = /^(?:"?public"?\s*\.\s*)?"?(\w+)"?(?=[\s(;,'*]|$)/i
const HIDDEN = new RegExp(`^(?:"?public"?\\s*\\.\\s*)?"?(?:${HOLE}|%)`)
const NO_FUNCTION = 'no function'
const INSTEAD_OF_HOLE = 'Write the name of the table out, so that it can be read what is written'

/** Who writes the tables that hold the promise, and who calls the functions that do. */
export function ruleOfSql({ code, sql, checker }: Tree): Violation[] {
  const inCode = code.flatMap((file) => {
    const path = pathOf(file)
    if (FOLDERS[folderOf(path)] === undefined) return []
    const found: Violation[] = []
    for (const { node, text } of literals(file, checker))
      found.push(...written(node, text, path), ...calledIn(node, text, path))
    return found
  })
  return [...inCode, ...sql.flatMap(inMigration)]
}

/** Every text that the code holds, whole: templates with their holes, and what `+` joins. */
function literals(file: ts.SourceFile, checker: ts.TypeChecker): { node: ts.Node; text: string }[] {
  const found: { node: ts.Node; text: string }[] = []
  const visit = (node: ts.Node): void => {
    const text = textOf(node, checker)
    if (text !== undefined) found.push({ node, text: plain(text) })
    if (text === undefined || ts.isTemplateExpression(node)) node.forEachChild(visit)
  }
  visit(file)
  return found
}

function textOf(node: ts.Node, checker: ts.TypeChecker): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans.map((span) => (constant(span.expression, checker) ?? HOLE) + span.literal.text).join('')
    )
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const parts = [node.left, node.right].map((side) => textOf(side, checker) ?? constant(side, checker))
    return parts.every((part) => part === undefined) ? undefined : parts.map((part) => part ?? HOLE).join('')
  }
  return undefined
}

/** Without comments of SQL, which may stand between any two words. */
function plain(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, ' ').replaceAll(/--.*$/gm, ' ')
}

function written(node: ts.Node, text: string, path: string): Violation[] {
  return targets(text).flatMap(({ table, hidden }) => {
    if (hidden) return [violation(node, 'writes a table whose name is not in the text', INSTEAD_OF_HOLE)]
    const rule = own(TABLES, table)
    return rule === undefined || rule.in.has(path) ? [] : [violation(node, `writes ${table}`, rule.instead)]
  })
}

interface Target {
  table?: string
  hidden: boolean
  at: number
}

/** What a text writes. `hidden`: a hole or a placeholder stands where the table should. */
function targets(text: string): Target[] {
  return [...text.matchAll(WRITES)].flatMap((match): Target[] => {
    const rest = text.slice(match.index + match[0].length)
    if (!isStatement(match[0], rest)) return []
    if (HIDDEN.test(rest)) return [{ hidden: true, at: match.index }]
    const table = NAME.exec(rest)?.[1]?.toLowerCase()
    return table === undefined ? [] : [{ table, hidden: false, at: match.index }]
  })
}

/** `update` and `copy` are words of English as well. */
function isStatement(verb: string, rest: string): boolean {
  if (/^update/i.test(verb)) return /\bset\b/i.test(rest)
  return !/^copy/i.test(verb) || /\bfrom\s+(stdin|program|')/i.test(rest)
}

function calledIn(node: ts.Node, text: string, path: string): Violation[] {
  return FUNCTIONS.filter(
    ({ name, in: where }) => new RegExp(`\\b${name}\\s*\\(`, 'i').test(text) && !where.has(path),
  ).map(({ name, instead }) => violation(node, `calls ${name} of the database`, instead))
}

/** In a migration the tables are written by the functions that are known to, and by nothing beside them. */
function inMigration({ path, text }: Source): Violation[] {
  const readable = blank(text)
  return [...calledInMigration(path, readable), ...writtenInMigration(path, readable)]
}

function calledInMigration(path: string, readable: string): Violation[] {
  return Object.entries(CALLERS).flatMap(([name, known]) =>
    [...readable.matchAll(new RegExp(`(?<!\\bfunction\\s+)\\b${name}\\s*\\(`, 'gi'))].flatMap(({ index }) => {
      const caller = functionAt(readable, index)
      if (known.includes(caller)) return []
      const line = readable.slice(0, index).split('\n').length
      const instead = `Call it in one of ${known.join(', ')}, or list the function in test/unit/house/law/tables.ts`
      return [{ path, line, what: `calls ${name} in ${caller}`, instead }]
    }),
  )
}

function writtenInMigration(path: string, readable: string): Violation[] {
  return targets(readable).flatMap(({ table, hidden, at }) => {
    const line = readable.slice(0, at).split('\n').length
    if (hidden) return [{ path, line, what: 'writes a table whose name is not in the text', instead: INSTEAD_OF_HOLE }]
    const known = own(MIGRATED, table)
    const writer = functionAt(readable, at)
    if (known === undefined || known.includes(writer) || (writer === NO_FUNCTION && known.includes(path))) return []
    const instead = `Call one of ${known.join(', ')}, or list the function, or the file of a backfill, in test/unit/house/law/tables.ts`
    return [{ path, line, what: `writes ${table} in ${writer}`, instead }]
  })
}

/** Comments as blanks, so that places stay what they are. */
function blank(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|--.*$/gm, (comment) => comment.replaceAll(/[^\n]/g, ' '))
}

/** The function whose body the place is in. A body ends where its own dollar quote does. */
function functionAt(text: string, at: number): string {
  const heads = [
    ...text.matchAll(/\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:public\s*\.\s*)?"?(\w+)"?/gi),
  ]
  const head = heads.findLast(({ index }) => index < at)
  if (head === undefined) return NO_FUNCTION
  const quote = /\$\w*\$/.exec(text.slice(head.index))
  if (quote === null) return text.slice(head.index, at).includes(';') ? NO_FUNCTION : (head[1] ?? '')
  const begin = head.index + quote.index + quote[0].length
  const end = text.indexOf(quote[0], begin)
  return at >= begin && (end === -1 || at < end) ? (head[1] ?? '') : NO_FUNCTION
}
