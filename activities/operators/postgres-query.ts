import { defineOperator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { connectionText } from '#core/run/connection-text.ts'
import { durationMs } from './duration-ms.ts'
import { operatorInput } from './operator-input.ts'
import { postgresFailure } from './postgres-failure.ts'
import { collectRows, type RowCollector } from './postgres-rows.ts'
import { PostgresQueryInput } from './postgres-schema.ts'
import { applySettings, cancellable, postgresOnly, type Session, statement, withSession } from './postgres-session.ts'
import { sqlCommand } from './sql-command.ts'
import { readStatement } from './sql-statement.ts'

const READS = new Set(['select', 'with', 'values', 'table', 'show', 'explain', '('])
const UNBATCHED = new Set(['show', 'explain'])
const BATCH_ROWS = 100

/** Reads from Postgres in a read-only transaction: at most 1,000 rows and 1 MiB, exact numbers and times as text. */
export const postgresQuery = defineOperator<PostgresQueryInput>({
  id: 'postgres.query',
  version: 1,
  title: 'Query Postgres',
  risk: 'low',
  action_type: 'read',
  capabilities: ['sql.read'],
  requires_approval: false,
  ...operatorInput(PostgresQueryInput),
  replay: () => 'safe',
  connection: ({ connection }) => connection,
  through: postgresOnly,
  describe(input, way) {
    const { tables } = readStatement(input.sql)
    return {
      summary: `read from ${connectionText(input.connection, way.connection?.target)}${tables.length === 0 ? '' : `: ${tables.join(', ')}`}`,
      targets: tables.length === 0 ? { kind: 'connection', ids: [input.connection] } : { kind: 'table', ids: tables },
      command: sqlCommand(input),
    }
  },
  async simulate(ctx, input) {
    const { row_count } = await query(ctx, input)
    return { ok: true, summary: `reads ${row_count} rows`, details: { row_count } }
  },
  execute: async (ctx, input) => ({ outputs: await query(ctx, input) }),
})

async function query(ctx: OperatorContext, input: PostgresQueryInput) {
  const { keyword } = readStatement(input.sql)
  if (!READS.has(keyword)) {
    throw new OperatorError(
      'read_only',
      `${keyword.toUpperCase() || 'an empty statement'} is not a query; use postgres.execute`,
    )
  }
  const collector = collectRows()
  try {
    await withSession(ctx, input.connection, (session) => readInto(collector, session, ctx, input))
  } catch (error) {
    throw postgresFailure(error, { signal: ctx.signal, may_have_acted: false })
  }
  return { rows: collector.rows, row_count: collector.rows.length, truncated: collector.truncated }
}

/**
 * The settings are applied by a query, so the transaction has its snapshot before the caller's text runs and the server no
 * longer lets anything turn it into a writing one.
 */
async function readInto(collector: RowCollector, session: Session, ctx: OperatorContext, input: PostgresQueryInput) {
  const settings = {
    statement_timeout: String(durationMs(input.statement_timeout ?? '30s')),
    lock_timeout: String(durationMs(input.lock_timeout ?? '5s')),
    default_transaction_read_only: 'on',
    ...(input.role === undefined ? {} : { role: input.role }),
  }
  await session.sql().unsafe('begin read only')
  await applySettings(session.sql(), settings, true)
  await cancellable(session, ctx.signal, collect(collector, session, input))
}

/** In batches, so that what is beyond the caps is never sent; the driver's cursor cannot carry SHOW and EXPLAIN. */
async function collect(collector: RowCollector, session: Session, input: PostgresQueryInput): Promise<void> {
  const running = statement(session.sql(), input.sql, input.params ?? [])
  if (UNBATCHED.has(readStatement(input.sql).keyword)) {
    ;(await running).every((row) => collector.add(row))
    return
  }
  for await (const rows of running.cursor(BATCH_ROWS)) if (!rows.every((row) => collector.add(row))) break
}
