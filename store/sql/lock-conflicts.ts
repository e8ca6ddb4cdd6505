import postgres from 'postgres'
import { DomainError } from '#core/errors.ts'

/** lock_not_available, query_canceled, deadlock_detected: the statement is undone, and may be sent again */
const STUCK: ReadonlySet<string> = new Set(['55P03', '57014', '40P01'])

/** Returns the result of a statement; `dependency_unavailable` when it stopped waiting for a lock, and has changed nothing. */
export async function unlessStuck<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement
  } catch (error) {
    if (!(error instanceof postgres.PostgresError) || !STUCK.has(error.code)) throw error
    throw new DomainError(
      'dependency_unavailable',
      'the database is held up; try again',
      { retry_after_s: 1 },
      { cause: error },
    )
  }
}

/** Altered by two at once (XX000), created by two at once (23505, 42710). */
function isMeeting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['XX000', '23505', '42710'].includes(String(error.code))
}

/** Roles belong to the server, but its locks to one database: processes that start on two databases can meet at a role. */
export async function undisturbed<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === 10 || !isMeeting(error)) throw error
    }
  }
}
