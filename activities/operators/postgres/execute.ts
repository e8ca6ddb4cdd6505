import type { JsonObject } from '#core/json/json.ts'
import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { isKnownToAct } from '#core/sql/known-functions.ts'
import type { LockMode } from '#core/sql/lock-modes.ts'
import { outsideTransaction } from '#core/sql/outside-transaction.ts'
import { lockEffect } from '#core/sql/statement.ts'
import { durationMs } from '../duration-ms.ts'
import { operatorInput } from '../operator-input.ts'
import { withLeftovers } from './effects/leftovers.ts'
import { simulateExecute } from './effects/simulate-execute.ts'
import { loadGrammar, parseSql, sqlCommand, statementLock, tableNames } from './effects/sql-grammar.ts'
import { withWaitedFor } from './effects/waited-for.ts'
import { postgresFailure } from './failure.ts'
import { collectRows } from './rows.ts'
import { PostgresExecuteInput } from './schema.ts'
import { applySettings, cancellable, postgresOnly, type Session, statement, withSession } from './session.ts'

/** The operator owns session and transaction: what ends them, or leaves something in them for a later statement, has no place here. */
const OF_THE_SESSION = new Set(
  `TransactionStmt PrepareStmt ExecuteStmt DeallocateStmt VariableSetStmt ConstraintsSetStmt DiscardStmt CopyStmt
   ListenStmt UnlistenStmt DeclareCursorStmt FetchStmt ClosePortalStmt`.split(/\s+/),
)

const shape = operatorInput(PostgresExecuteInput)

/** Runs one writing statement, by default in a transaction. Always asks: its gate is part of its definition. */
export const postgresExecute = defineOperator<PostgresExecuteInput>({
  id: 'postgres.execute',
  version: 1,
  title: 'Execute on Postgres',
  risk: 'high',
  action_type: 'sql.write',
  capabilities: ['sql.write'],
  requires_approval: true,
  ...shape,
  ready: loadGrammar,
  parse(input) {
    const parsed = shape.parse(input)
    refuseSessionControl(parsed)
    const invalid = findInvalid(parsed)
    if (invalid !== undefined) throw new OperatorError('sql_refused', invalid.message)
    return parsed
  },
  findInvalid,
  replay: () => 'ask',
  connection: ({ connection }) => connection,
  applyConnection: postgresOnly,
  describe(input, transport) {
    const parsed = parseSql(input.sql)
    const tables = tableNames(parsed.statement)
    const acting = parsed.statement.functions.map(({ name }) => name).filter(isKnownToAct)
    const on = [acting.join(', '), tables.join(', ')].find((names) => names !== '')
    const where = connectionText(input.connection, transport.connection?.target)
    return {
      summary: `${[parsed.statement.command, on].join(' ').trim()} on ${where}${circumstances(input, statementLock(parsed))}`,
      targets: tables.length === 0 ? { kind: 'connection', ids: [input.connection] } : { kind: 'table', ids: tables },
      command: sqlCommand(input),
    }
  },
  simulate: (ctx, input) => simulateExecute(ctx, input, limits(input)),
  async execute(ctx, input) {
    refuseSessionControl(input)
    let mayHaveActed = false
    try {
      const outputs = await withSession(ctx, input.connection, async (session) => {
        if (input.transaction === false) {
          await applySettings(session.sql(), limits(input), false)
          await refuseBesideEarlier(session, ctx)
          await ctx.beforeSending()
          ctx.signal.throwIfAborted()
          mayHaveActed = true
          return await run(session, ctx, input).catch(async (error: unknown) => {
            const failure = postgresFailure(error, { signal: ctx.signal, may_have_acted: true })
            const parsed = parseSql(input.sql)
            throw await withLeftovers(await withWaitedFor(failure, session, parsed), session, parsed)
          })
        }
        await session.sql().unsafe('begin')
        await applySettings(session.sql(), limits(input), true)
        await ctx.beforeSending()
        const result = await run(session, ctx, input).catch(async (error: unknown) => {
          const failure = postgresFailure(error, { signal: ctx.signal, may_have_acted: false })
          throw await withWaitedFor(failure, session, parseSql(input.sql))
        })
        ctx.signal.throwIfAborted()
        const commit = session.sql()
        mayHaveActed = true
        await commit.unsafe('commit')
        return result
      })
      return { outputs }
    } catch (error) {
      throw postgresFailure(error, { signal: ctx.signal, may_have_acted: mayHaveActed })
    }
  },
})

function findInvalid({ sql, transaction = true }: JsonObject): { field: string; message: string } | undefined {
  const command = typeof sql === 'string' && transaction === true ? outsideTransaction(sql) : undefined
  return command === undefined
    ? undefined
    : { field: 'sql', message: `${command} cannot run inside a transaction: set transaction: false` }
}

function refuseSessionControl({ sql }: PostgresExecuteInput): void {
  const { root, command } = parseSql(sql).statement
  if (OF_THE_SESSION.has(root)) throw new OperatorError('sql_refused', `${command} cannot be executed`)
}

/**
 * The worker of an attempt may be gone while the server still runs its statement: a second one beside it would do more than was
 * approved. The lock falls with the session that holds it.
 */
async function refuseBesideEarlier(session: Session, ctx: OperatorContext): Promise<void> {
  const [answer] = await session.sql()<{ free: boolean; pid: number | null; began: string | null }[]>`
    with svc_key as materialized (select pg_catalog.hashtextextended(${`svc ${ctx.run_id} ${ctx.step_id}`}, 0) as id)
    select pg_catalog.pg_try_advisory_lock(k.id) as free, l.pid, pg_catalog.date_trunc('second', a.query_start)::pg_catalog.text as began
    from svc_key k
    left join pg_catalog.pg_locks l on l.locktype operator(pg_catalog.=) 'advisory' and l.granted and l.objsubid operator(pg_catalog.=) 1
      and l.database operator(pg_catalog.=) (select oid from pg_catalog.pg_database where datname operator(pg_catalog.=) pg_catalog.current_database())
      and (l.classid::pg_catalog.int8 operator(pg_catalog.<<) 32) operator(pg_catalog.|) l.objid::pg_catalog.int8 operator(pg_catalog.=) k.id
    left join pg_catalog.pg_stat_activity a on a.pid operator(pg_catalog.=) l.pid
    limit 1`
  if (answer === undefined || answer.free) return
  const { pid, began } = answer
  const since = began === null ? '' : `, since ${began}`
  const message = `the session of an earlier attempt of this step is still there: process ${pid}${since}; nothing was sent. Wait for it, or end it with pg_cancel_backend(${pid}), and start the run again`
  throw new OperatorError('still_running', message, { retryable: true, details: { pid } })
}

/** What people have to know beside the statement: its lock, what waits meanwhile, and what the template tells of it. */
function circumstances({ transaction, note }: PostgresExecuteInput, lock: LockMode | undefined): string {
  const acts = lock !== undefined && lock !== 'AccessShareLock'
  return [
    transaction === false ? ', without a transaction' : '',
    acts ? `; takes ${lock}: ${lockEffect(lock)}` : '',
    note === undefined ? '' : `; the template says: ${note}`,
  ].join('')
}

function limits(input: PostgresExecuteInput): Record<string, string> {
  return {
    statement_timeout: String(durationMs(input.statement_timeout ?? '60s')),
    lock_timeout: String(durationMs(input.lock_timeout ?? '5s')),
  }
}

async function run(session: Session, ctx: OperatorContext, input: PostgresExecuteInput) {
  const running = statement(session.sql(), input.sql, input.params ?? [])
  const result = await cancellable(session, ctx.signal, running).finally(() => {
    for (const warning of session.warnings) ctx.log.warn({}, warning)
  })
  const collector = collectRows()
  result.every((row) => collector.add(row))
  return {
    rows: collector.rows,
    row_count: result.count ?? 0,
    truncated: collector.truncated,
    warnings: [...session.warnings],
  }
}
