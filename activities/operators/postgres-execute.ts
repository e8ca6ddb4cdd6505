import { defineOperator, type OperatorContext, OperatorError, type Simulation } from '#core/operator.ts'
import { connectionText } from '#core/run/connection-text.ts'
import { durationMs } from './duration-ms.ts'
import { operatorInput } from './operator-input.ts'
import { postgresFailure } from './postgres-failure.ts'
import { heldLocks, lockHolders } from './postgres-locks.ts'
import { collectRows } from './postgres-rows.ts'
import { PostgresExecuteInput } from './postgres-schema.ts'
import { applySettings, cancellable, postgresOnly, type Session, statement, withSession } from './postgres-session.ts'
import { sqlCommand } from './sql-command.ts'
import { lockModeOf } from './sql-locks.ts'
import { readStatement } from './sql-statement.ts'

/** The operator owns the transaction: a statement that ends it would act outside of what was simulated. */
const TRANSACTION_CONTROL = new Set(
  'begin start commit end rollback abort savepoint release prepare set reset discard copy'.split(' '),
)

/** Runs one writing statement, by default in a transaction. Always asks: its gate is part of its definition. */
export const postgresExecute = defineOperator<PostgresExecuteInput>({
  id: 'postgres.execute',
  version: 1,
  title: 'Execute on Postgres',
  risk: 'high',
  action_type: 'sql.write',
  capabilities: ['sql.write'],
  requires_approval: true,
  ...operatorInput(PostgresExecuteInput),
  replay: () => 'ask',
  connection: ({ connection }) => connection,
  through: postgresOnly,
  describe(input, way) {
    const { keyword, tables } = readStatement(input.sql)
    const on = tables.length === 0 ? '' : ` ${tables.join(', ')}`
    return {
      summary: `${keyword.toUpperCase()}${on} on ${connectionText(input.connection, way.connection?.target)}${input.transaction === false ? ', without a transaction' : ''}`,
      targets: tables.length === 0 ? { kind: 'connection', ids: [input.connection] } : { kind: 'table', ids: tables },
      command: sqlCommand(input),
    }
  },
  simulate: (ctx, input) => (input.transaction === false ? analyseLocks(ctx, input) : tryAndRollBack(ctx, input)),
  async execute(ctx, input) {
    refuseTransactionControl(input)
    let mayHaveActed = false
    try {
      const outputs = await withSession(ctx, input.connection, async (session) => {
        if (input.transaction === false) {
          await applySettings(session.sql(), limits(input), false)
          ctx.signal.throwIfAborted()
          mayHaveActed = true
          return await run(session, ctx, input)
        }
        await session.sql().unsafe('begin')
        await applySettings(session.sql(), limits(input), true)
        const result = await run(session, ctx, input)
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

function refuseTransactionControl(input: PostgresExecuteInput): void {
  const { keyword } = readStatement(input.sql)
  if (keyword !== '' && !TRANSACTION_CONTROL.has(keyword)) return
  throw new OperatorError('sql_refused', `${keyword.toUpperCase() || 'an empty statement'} cannot be executed`)
}

function limits(input: PostgresExecuteInput): Record<string, string> {
  return {
    statement_timeout: String(durationMs(input.statement_timeout ?? '60s')),
    lock_timeout: String(durationMs(input.lock_timeout ?? '5s')),
  }
}

async function run(session: Session, ctx: OperatorContext, input: PostgresExecuteInput) {
  const running = statement(session.sql(), input.sql, input.params ?? [])
  const result = await cancellable(session, ctx.signal, running)
  const collector = collectRows()
  result.every((row) => collector.add(row))
  return { rows: collector.rows, row_count: result.count ?? 0, truncated: collector.truncated }
}

async function tryAndRollBack(ctx: OperatorContext, input: PostgresExecuteInput): Promise<Simulation> {
  refuseTransactionControl(input)
  try {
    return await withSession(ctx, input.connection, async (session) => {
      await session.sql().unsafe('begin')
      await applySettings(session.sql(), limits(input), true)
      const began = ctx.now()
      const { row_count } = await run(session, ctx, input)
      const details = { row_count, ms: ctx.now() - began, locks: await heldLocks(session.sql()) }
      await session.sql().unsafe('rollback')
      return { ok: true, summary: `changes ${row_count} rows (tried and rolled back)`, details }
    })
  } catch (error) {
    return failedSimulation(ctx, error)
  }
}

/** What refuses to run in a transaction cannot be tried: says which lock it takes and who is in its way. */
async function analyseLocks(ctx: OperatorContext, input: PostgresExecuteInput): Promise<Simulation> {
  refuseTransactionControl(input)
  const parsed = readStatement(input.sql)
  const mode = lockModeOf(parsed)
  try {
    return await withSession(ctx, input.connection, async (session) => {
      await applySettings(session.sql(), { ...limits(input), default_transaction_read_only: 'on' }, false)
      const holders = await lockHolders(session.sql(), parsed.tables, mode)
      const blocking = holders.filter(({ blocks }) => blocks).length
      return {
        ok: blocking === 0,
        summary: `takes ${mode} on ${parsed.tables.join(', ') || 'what it names'}; ${blocking} locks in its way`,
        details: { lock_mode: mode, relations: parsed.tables, holders },
      }
    })
  } catch (error) {
    return failedSimulation(ctx, error)
  }
}

/** A refusal by the server is the simulation's result; being stopped or not reaching it is not. */
function failedSimulation(ctx: OperatorContext, error: unknown): Simulation {
  const failure = postgresFailure(error, { signal: ctx.signal, may_have_acted: false })
  if (!(failure instanceof OperatorError) || ctx.signal.aborted || failure.code === 'unreachable') throw failure
  return { ok: false, summary: failure.message, details: { code: failure.code, ...failure.details } }
}
