import type { Connection } from '#core/operator.ts'
import { withSession } from './postgres-session.ts'

/** Signs in as a step would, and changes nothing. Throws OperatorError with what a step would fail with. */
export async function signInToPostgres(connection: Connection, signal: AbortSignal): Promise<void> {
  const ctx = { run_id: 'check', signal, connection: async () => connection }
  await withSession(ctx, 'check', async (session) => void (await session.sql()`select 1`))
}
