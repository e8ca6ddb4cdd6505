import { isObject, type Json, type JsonObject, objectOf } from '#core/json/json.ts'
import { parseForeignJson } from '#core/json/parse-json.ts'
import { type OperatorContext, OperatorError, type Simulation } from '#core/operator.ts'
import { whyNotCalled } from '#core/sql/known-functions.ts'
import { postgresFailure } from '../failure.ts'
import type { PostgresExecuteInput, PostgresQueryInput } from '../schema.ts'
import { applySettings, cancellable, type Session, statement, withSession } from '../session.ts'
import { lockHolders, namedRelations } from './locks.ts'
import { type Reach, reachOf } from './reach.ts'
import { type ParsedSql, parseSql, statementLock, tableNames } from './sql-grammar.ts'

/** What EXPLAIN plans without running it. */
const PLANNED = new Set(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])

/**
 * Says what a statement would do, and runs nothing of it: its tables and lock by the grammar and the catalogue, who is in its way, and the
 * planner's estimate where it has one. In a read-only transaction, which is given up.
 */
export async function simulateExecute(
  ctx: OperatorContext,
  input: PostgresExecuteInput | PostgresQueryInput,
  settings: Record<string, string>,
): Promise<Simulation> {
  const parsed = parseSql(input.sql)
  try {
    return await withSession(ctx, input.connection, async (session) => {
      await session.sql().unsafe('begin read only')
      await applySettings(session.sql(), { ...settings, default_transaction_read_only: 'on' }, true)
      return await cancellable(session, ctx.signal, predict(session, parsed, input))
    })
  } catch (error) {
    return failed(ctx, error)
  }
}

async function predict(
  session: Session,
  parsed: ParsedSql,
  input: PostgresExecuteInput | PostgresQueryInput,
): Promise<Simulation> {
  const { statement: read } = parsed
  const { command, root, relations } = read
  const lock = statementLock(parsed)
  const tables = await namedRelations(session.sql(), relations)
  const holders = lock === undefined ? [] : await lockHolders(session.sql(), relations, lock)
  const blocking = holders.filter(({ blocks }) => blocks).length
  const takes =
    lock === undefined ? '' : `; takes ${lock} on ${tableNames(read).join(', ')}, ${blocking} locks in its way`
  const details: JsonObject = { command, lock_mode: lock ?? null, relations: tables, holders }
  if (blocking > 0) return { ok: false, summary: `${command} would wait${takes}`, details }
  const untried = PLANNED.has(root)
    ? unplanned(await reachOf(session.sql(), read, true))
    : `what ${command} does cannot be known without doing it`
  if (untried !== undefined) return { ok: false, not_tried: true, summary: `not tried: ${untried}${takes}`, details }
  const plan = await explain(session, input)
  return {
    ok: true,
    summary: `${command} of about ${plan.rows} rows, planned and not run${takes}`,
    details: { ...details, estimated_rows: plan.rows, estimated_cost: plan.cost },
  }
}

/**
 * The planner runs functions that are not volatile, and looks into others: it is asked only where none of them was made in this
 * database. What a function does beside its answer is in no plan.
 */
function unplanned({ functions, foreign_tables }: Reach): string | undefined {
  const [foreign] = foreign_tables
  if (foreign !== undefined) return `${foreign} is a table of another server, which planning would ask`
  for (const each of functions) {
    const name = `${each.schema}.${each.name}${each.by === undefined ? '' : ` through ${each.by}`}`
    if (each.origin === 'database') return `planning may run ${name}`
    if (!(each.origin === 'server' && each.name === 'nextval') && whyNotCalled(each) !== undefined)
      return `what ${name} does cannot be known without calling it`
  }
  return undefined
}

async function explain(
  session: Session,
  input: PostgresExecuteInput | PostgresQueryInput,
): Promise<{ rows: number; cost: number }> {
  const [row] = await statement(session.sql(), `explain (format json) ${input.sql}`, input.params ?? [])
  const answer: unknown = row?.['QUERY PLAN']
  const plans: Json = typeof answer === 'string' ? (parseForeignJson(answer) as Json) : (answer as Json)
  const plan = planOf(Array.isArray(plans) ? plans[0] : undefined)
  const parts =
    plan['Node Type'] === 'ModifyTable' && Array.isArray(plan['Plans'])
      ? plan['Plans'].map((each) => nodeOf({ each }))
      : [plan]
  return {
    rows: parts.reduce((sum, each) => sum + Number(each['Plan Rows'] ?? 0), 0),
    cost: Number(plan['Total Cost'] ?? 0),
  }
}

function planOf(value: Json | undefined): JsonObject {
  return isObject(value) ? nodeOf({ plan: value['Plan'] ?? null }) : {}
}

/** What the only field of an object holds. */
function nodeOf(tree: JsonObject): JsonObject {
  const [node] = Object.values(tree)
  return objectOf(node)
}

/** A refusal by the server is the simulation's result; being stopped or not reaching it is not. */
function failed(ctx: OperatorContext, error: unknown): Simulation {
  const failure = postgresFailure(error, { signal: ctx.signal, may_have_acted: false })
  if (!(failure instanceof OperatorError) || ctx.signal.aborted || failure.code === 'unreachable') throw failure
  return { ok: false, summary: failure.message, details: { code: failure.code, ...failure.details } }
}
