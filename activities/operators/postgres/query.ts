import { defineOperator, type OperatorContext } from '#core/operator.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { durationMs } from '../duration-ms.ts'
import { operatorInput } from '../operator-input.ts'
import { refuseActing, refuseWriting } from './effects/refuse-effects.ts'
import { simulateExecute } from './effects/simulate-execute.ts'
import { loadGrammar, parseSql, sqlCommand, tableNames } from './effects/sql-grammar.ts'
import { postgresFailure } from './failure.ts'
import { collectRows, type RowCollector } from './rows.ts'
import { PostgresQueryInput } from './schema.ts'
import { applySettings, cancellable, postgresOnly, type Session, statement, withSession } from './session.ts'

const BATCH_ROWS = 100

const shape = operatorInput(PostgresQueryInput)

/**
 * Reads from Postgres in a read-only transaction: at most 1,000 rows and 1 MiB, exact numbers and times as text. An input that is no read by its
 * text is refused as one; whether the functions that it calls act, the target's catalogue says before anything of it runs.
 */
export const postgresQuery = defineOperator<PostgresQueryInput>({
  id: 'postgres.query',
  version: 1,
  title: 'Query Postgres',
  risk: 'low',
  action_type: 'read',
  capabilities: ['sql.read'],
  requires_approval: false,
  ...shape,
  ready: loadGrammar,
  parse(input) {
    const parsed = shape.parse(input)
    refuseWriting(parseSql(parsed.sql))
    return parsed
  },
  replay: () => 'safe',
  connection: ({ connection }) => connection,
  applyConnection: postgresOnly,
  describe(input, transport) {
    const tables = tableNames(parseSql(input.sql).statement)
    return {
      summary: `read from ${connectionText(input.connection, transport.connection?.target)}${tables.length === 0 ? '' : `: ${tables.join(', ')}`}`,
      targets: tables.length === 0 ? { kind: 'connection', ids: [input.connection] } : { kind: 'table', ids: tables },
      command: sqlCommand(input),
    }
  },
  // a read shows what it reads: where somebody is asked first, it is planned and not done
  simulate: (ctx, input) => simulateExecute(ctx, input, settingsOf(input)),
  execute: async (ctx, input) => ({ outputs: await query(ctx, input) }),
})

async function query(ctx: OperatorContext, input: PostgresQueryInput) {
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
  const parsed = parseSql(input.sql)
  refuseWriting(parsed)
  await session.sql().unsafe('begin read only')
  await applySettings(session.sql(), settingsOf(input), true)
  await cancellable(session, ctx.signal, refuseActing(session.sql(), parsed))
  await cancellable(session, ctx.signal, collect(collector, session, input, parsed.statement.root === 'SelectStmt'))
}

function settingsOf({ statement_timeout, lock_timeout, role }: PostgresQueryInput): Record<string, string> {
  return {
    statement_timeout: String(durationMs(statement_timeout ?? '30s')),
    lock_timeout: String(durationMs(lock_timeout ?? '5s')),
    default_transaction_read_only: 'on',
    ...(role === undefined ? {} : { role }),
  }
}

/** In batches, so that what is beyond the caps is never sent; the driver's cursor cannot carry SHOW and EXPLAIN. */
async function collect(
  collector: RowCollector,
  session: Session,
  input: PostgresQueryInput,
  batched: boolean,
): Promise<void> {
  const running = statement(session.sql(), input.sql, input.params ?? [])
  if (!batched) {
    ;(await running).every((row) => collector.add(row))
    return
  }
  for await (const rows of running.cursor(BATCH_ROWS)) if (!rows.every((row) => collector.add(row))) break
}
