import type { Connection } from '#core/operator.ts'
import { connectionTarget } from './connection-target.ts'
import { withSession } from './postgres-session.ts'

/** Signs in as a step would, and changes nothing. Throws what a step would fail with: OperatorError, or DomainError for its url. */
export async function signInToPostgres(connection: Connection, signal: AbortSignal): Promise<void> {
  connectionTarget(connection)
  const ctx = { run_id: 'check', signal, connection: async () => connection }
  await withSession(ctx, 'check', async (session) => void (await session.sql()`select 1`))
}
