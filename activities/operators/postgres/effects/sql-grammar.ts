import { type Json, type JsonObject, objectOf } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import { type LockMode, lockModeOf } from '#core/sql/lock-modes.ts'
import { readStatement } from '#core/sql/read-statement.ts'
import type { SqlStatement } from '#core/sql/statement.ts'

/** One statement: its tree, `{Type: node}`, and what is read from it. */
export interface ParsedSql {
  tree: JsonObject
  statement: SqlStatement
}

/** A name that is written without quotes. */
const PLAIN = /^[a-z_\u0080-\uffff][a-z0-9_$\u0080-\uffff]*$/

type Grammar = typeof import('libpg-query')
let grammar: Grammar | undefined

/** Loads PostgreSQL's own parser (WebAssembly, 30 ms): the first caller waits for it. */
export async function loadGrammar(): Promise<void> {
  if (grammar !== undefined) return
  const loaded = await import('libpg-query')
  await loaded.loadModule()
  grammar = loaded
}

/** Reads a text that is exactly one statement; anything else is `sql_refused`. */
export function parseSql(sql: string): ParsedSql {
  const [tree, another] = statementsOf(sql)
  if (tree === undefined) throw refused('there is no statement in the text')
  if (another !== undefined) throw refused('a step runs one statement, and there are several in the text')
  try {
    return { tree, statement: readStatement(tree) }
  } catch (error) {
    throw error instanceof RangeError ? refused(error.message) : error
  }
}

function statementsOf(sql: string): JsonObject[] {
  if (grammar === undefined) throw new Error('the grammar is used before it is loaded')
  if (sql.trim() === '') return []
  try {
    // the parser's answer is JSON text that it reads back: plain data
    const answer: unknown = grammar.parseSync(sql)
    const { stmts = [] } = answer as { stmts?: { stmt?: JsonObject }[] }
    return stmts.flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]))
  } catch (error) {
    if (!grammar.hasSqlDetails(error)) throw refused('the statement cannot be read')
    throw refused(error.message, { position: (error.sqlDetails?.cursorPosition ?? 0) + 1 })
  }
}

function refused(message: string, details: JsonObject = {}): OperatorError {
  return new OperatorError('sql_refused', message, { details })
}

/**
 * A statement as an approver reads it: its values first, as comments, then the statement to the end. What a statement says of
 * values in comments of its own comes after, and below the line that ends them.
 */
export function sqlCommand({ sql, params = [] }: { sql: string; params?: Json[] }): string {
  if (params.length === 0) return sql
  const values = params.map((value, index) => `-- $${index + 1} = ${JSON.stringify(value)}`)
  return [...values, '-- the statement, to its end:', sql].join('\n')
}

/** The relations that a statement names, as people write them. */
export function tableNames({ relations }: SqlStatement): string[] {
  return relations.map(({ schema, name }) => [...(schema === undefined ? [] : [schema]), name].map(quoted).join('.'))
}

function quoted(name: string): string {
  return PLAIN.test(name) ? name : `"${name.replaceAll('"', '""')}"`
}

/** The lock that a statement takes on what it names; undefined where it names nothing. */
export function statementLock({ tree, statement }: ParsedSql): LockMode | undefined {
  const { root, nodes, relations } = statement
  if (relations.length === 0) return undefined
  const [node] = Object.values(tree)
  const inner: JsonObject = objectOf(node)
  return lockModeOf(root, inner, nodes)
}
