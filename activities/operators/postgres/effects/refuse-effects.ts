import type { JsonObject } from '#core/json/json.ts'
import { OperatorError } from '#core/operator.ts'
import { isKnownToAct, whyNotCalled } from '#core/sql/known-functions.ts'
import { whyNoRead } from '#core/sql/why-no-read.ts'
import type { SessionQuery } from '../session.ts'
import { reachOf } from './reach.ts'
import type { ParsedSql } from './sql-grammar.ts'

/** Refuses by the text alone what is no query, or calls what is known to act. */
export function refuseWriting({ tree, statement }: ParsedSql): void {
  const written = whyNoRead(statement, tree)
  if (written !== undefined) throw notARead(`${written} is not a read`, { statement: statement.command })
  const called = statement.functions.find(
    ({ schema = 'pg_catalog', name }) => schema === 'pg_catalog' && isKnownToAct(name),
  )
  if (called !== undefined) throw notARead(`${called.name} may act`, { function: called.name })
}

/** Refuses by the catalogue of the target what may call a function that acts. Nothing of the statement has run by then. */
export async function refuseActing(sql: SessionQuery, { statement }: ParsedSql): Promise<void> {
  if (statement.root === 'VariableShowStmt') return
  const { functions, foreign_tables } = await reachOf(sql, statement, false)
  for (const each of functions) {
    const reason = whyNotCalled(each)
    if (reason === undefined) continue
    const name = `${each.schema}.${each.name}`
    const by = each.by === undefined ? '' : ` through ${each.by}`
    throw notARead(`${name}${by} is not called by a read: ${reason}`, {
      function: name,
      ...(each.by === undefined ? {} : { by: each.by }),
    })
  }
  const [foreign] = foreign_tables
  if (foreign !== undefined) throw notARead(`${foreign} is a table of another server`, { relation: foreign })
}

function notARead(message: string, details: JsonObject): OperatorError {
  return new OperatorError(
    'not_a_read',
    `${message}; postgres.query only reads, postgres.execute does the rest behind a gate`,
    { details },
  )
}
