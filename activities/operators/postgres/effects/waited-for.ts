import { OperatorError } from '#core/operator.ts'
import type { Session } from '../session.ts'
import { type LockHolder, lockHolders } from './locks.ts'
import { type ParsedSql, statementLock } from './sql-grammar.ts'

const MAX_NAMED = 3

/** A failure by `lock_timeout`, with who holds the lock now, where the catalogue tells. */
export async function withWaitedFor(failure: unknown, session: Session, parsed: ParsedSql): Promise<unknown> {
  if (!(failure instanceof OperatorError) || failure.code !== 'lock_timeout') return failure
  const holders = await holdersNow(session, parsed).catch(() => [])
  if (holders.length === 0) return failure
  const { code, message, retryable, unknown_outcome, cost, details, cause } = failure
  const held = holders.slice(0, MAX_NAMED).map(holderText).join('; ')
  const more = holders.length > MAX_NAMED ? `; and ${holders.length - MAX_NAMED} more` : ''
  return new OperatorError(code, `${message}; ${held}${more}`, {
    retryable,
    unknown_outcome,
    cost,
    details: { ...details, held_by: holders.map(({ pid }) => pid) },
    cause,
  })
}

async function holdersNow(session: Session, parsed: ParsedSql): Promise<LockHolder[]> {
  const lock = statementLock(parsed)
  if (lock === undefined) return []
  const sql = session.sql()
  // outside of a transaction it says no more than that there is none
  await sql`rollback`
  return (await lockHolders(sql, parsed.statement.relations, lock)).filter(({ blocks }) => blocks)
}

function holderText({ relation, mode, pid, since, application }: LockHolder): string {
  const open = since === null ? '' : `, its transaction open since ${since}`
  return `${relation} is held now by process ${pid} (${application || 'no application'}${open}) with ${mode}`
}
