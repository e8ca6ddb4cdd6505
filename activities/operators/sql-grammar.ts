import type { JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import { readStatement } from '#core/sql/read-statement.ts'
import type { SqlStatement } from '#core/sql/statement.ts'

/** One statement: its tree, `{Type: node}`, and what is read from it. */
export interface ParsedSql {
  tree: JsonObject
  statement: SqlStatement
}

type Grammar = typeof import('libpg-query')
let grammar: Grammar | undefined

/** Loads PostgreSQL's own parser (WebAssembly, 30 ms): whoever parses waits for it once. */
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
