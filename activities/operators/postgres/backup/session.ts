import type { OperatorContext } from '#core/operator.ts'
import { durationMs } from '../../duration-ms.ts'
import { postgresFailure } from '../failure.ts'
import { applySettings, cancellable, type Session, type SessionQuery, withSession } from '../session.ts'
import { PLAIN_NAMES } from './catalogue.ts'

const BEGIN = {
  /** one moment for all that is read, and nothing can be written */
  snapshot: 'begin isolation level repeatable read read only',
  writing: 'begin',
}

export interface BackupSession {
  connection: string
  kind: keyof typeof BEGIN
  statement_timeout?: string | undefined
  lock_timeout?: string | undefined
}

/** A transaction on a connection, in which names are written with their schemas; given up unless `keep` was called. */
export async function inBackupSession<T>(
  ctx: OperatorContext,
  { connection, kind, statement_timeout = '1h', lock_timeout = '5s' }: BackupSession,
  work: (sql: SessionQuery, session: Session) => Promise<T>,
): Promise<T> {
  const limits = {
    statement_timeout: String(durationMs(statement_timeout)),
    lock_timeout: String(durationMs(lock_timeout)),
  }
  try {
    return await withSession(ctx, connection, async (session) => {
      const sql = session.sql()
      await sql.unsafe(BEGIN[kind])
      await applySettings(sql, { ...PLAIN_NAMES, ...limits }, true)
      return await cancellable(session, ctx.signal, work(sql, session))
    })
  } catch (error) {
    // whether a commit came through is noted in the database itself, and a repetition reads the note
    throw postgresFailure(error, { signal: ctx.signal, may_have_acted: false })
  }
}

/** Runs a statement in which the server quoted the names. */
export async function runWritten(sql: SessionQuery, statement: string): Promise<void> {
  await sql.unsafe(statement)
}

/** Makes what was written count. */
export async function keep(ctx: OperatorContext, session: Session): Promise<void> {
  ctx.signal.throwIfAborted()
  await session.sql().unsafe('commit')
}
