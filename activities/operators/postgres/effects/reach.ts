import { OperatorError } from '#core/operator.ts'
import type { SqlName, SqlStatement } from '#core/sql/statement.ts'
import { whyNoRead } from '#core/sql/why-no-read.ts'
import type { SessionQuery } from '../session.ts'
import { ANY_SCHEMA, type Lookup } from './catalogue.ts'
import { type CalledFunction, reachedFunctions } from './functions.ts'
import { reachedRelations } from './relations.ts'
import { type ParsedSql, parseSql } from './sql-grammar.ts'
import { reachedTypes } from './types.ts'

/** Operators that a statement uses without writing them, and so without saying of which schema. */
const UNWRITTEN: SqlName[] = ['=', '<>', '<', '>', '<=', '>='].map((name) => ({ schema: ANY_SCHEMA, name }))

/** A view on a view on a view … is followed so far. */
const MAX_ROUNDS = 40

export interface Reach {
  functions: CalledFunction[]
  /** tables of other servers, by their full names */
  foreign_tables: string[]
}

/** SQL that runs when the statement does, and where it stands. */
interface ReachedText {
  text: string
  by: string
}

/**
 * All that the catalogue says a statement may call: by name, operator, cast, aggregate, default argument, check of a domain, and inside of views
 * and row policies; with `writing` also in what the planner looks at beside a table that is written. Of functions of one name
 * all are taken, so that it does not matter which one the server will choose.
 */
export async function reachOf(sql: SessionQuery, statement: SqlStatement, writing: boolean): Promise<Reach> {
  const [session] = await sql<{ path: string; encoding: string; schemas: string[] }[]>`
    select pg_catalog.current_setting('search_path') as path, pg_catalog.current_setting('server_encoding') as encoding,
           pg_catalog.current_schemas(true)::pg_catalog.text[] as schemas`
  if (session === undefined) throw new Error('the server did not answer')
  refuseFoldedNames(statement, session.encoding)
  // from here on the server writes every name that is not its own with its schema
  await setPath(sql, 'pg_catalog')
  const reach = { functions: new Map<number, CalledFunction>(), foreign_tables: new Set<string>() }
  const read = new Set<string>()
  let texts = await follow(sql, lookupOf(statement, session.schemas, writing), undefined, reach)
  for (let round = 0; texts.length > 0; round += 1) {
    if (round === MAX_ROUNDS) throw new OperatorError('not_a_read', 'the statement reaches too far through views')
    const fresh = texts.filter(({ text }) => !read.has(text) && read.add(text))
    texts = []
    for (const { text, by } of fresh) {
      const lookup = lookupOf(readText(text, by, writing), ['pg_catalog'], writing)
      texts.push(...(await follow(sql, lookup, by, reach)))
    }
  }
  await setPath(sql, session.path)
  return { functions: [...reach.functions.values()], foreign_tables: [...reach.foreign_tables] }
}

function lookupOf(statement: SqlStatement, schemas: string[], writing: boolean): Lookup {
  const { functions, operators, types, attributes, anyRelations: relations } = statement
  return { functions, operators: [...UNWRITTEN, ...operators], types, attributes, relations, schemas, writing }
}

/** Notes what the names mean, and answers the SQL that runs with it. */
async function follow(
  sql: SessionQuery,
  lookup: Lookup,
  by: string | undefined,
  reach: { functions: Map<number, CalledFunction>; foreign_tables: Set<string> },
): Promise<ReachedText[]> {
  const types = await reachedTypes(sql, lookup)
  const texts = types.checks.map(({ domain, expression }) => ({
    text: `select ${expression}`,
    by: `the domain ${domain}`,
  }))
  for (const each of await reachedFunctions(sql, lookup, types.oids)) {
    if (reach.functions.has(each.oid)) continue
    reach.functions.set(each.oid, { ...each, by: each.by ?? by })
    if (each.defaults !== null)
      texts.push({ text: `select ${each.defaults}`, by: `a default argument of ${each.schema}.${each.name}` })
    if (each.body !== null) texts.push({ text: each.body, by: `${each.schema}.${each.name}` })
  }
  for (const part of await reachedRelations(sql, lookup)) {
    if (part.kind === 'foreign') reach.foreign_tables.add(part.relation)
    else texts.push({ text: part.kind === 'query' ? part.text : `select ${part.text}`, by: part.by })
  }
  return texts
}

/** What the server wrote; a server that writes what this grammar cannot read is not trusted with it. */
function readText(text: string, by: string, writing: boolean): SqlStatement {
  const { statement, tree } = parsedText(text, by)
  const written = writing ? undefined : whyNoRead(statement, tree)
  if (written === undefined) return statement
  throw new OperatorError('not_a_read', `${by} is no read: ${written}`, { details: { by } })
}

function parsedText(text: string, by: string): ParsedSql {
  try {
    return parseSql(text)
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause
    throw new OperatorError('not_a_read', `what ${by} does cannot be read: ${cause.message}`, { cause })
  }
}

/** A server of an encoding with one byte a character folds the case of letters that are not ASCII; this grammar does not. */
function refuseFoldedNames({ functions, types, anyRelations, attributes }: SqlStatement, encoding: string): void {
  if (encoding === 'UTF8') return
  const names = [...[...functions, ...types, ...anyRelations].map(({ name }) => name), ...attributes]
  const folded = names.find((name) => /[\u0080-\uffff]/.test(name))
  if (folded !== undefined)
    throw new OperatorError(
      'not_a_read',
      `which thing ${folded} is cannot be told in a database of the encoding ${encoding}`,
    )
}

async function setPath(sql: SessionQuery, path: string): Promise<void> {
  await sql`select pg_catalog.set_config('search_path', ${path}, true)`
}
