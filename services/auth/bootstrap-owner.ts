import { DomainError } from '#core/errors.ts'
import { createDb } from '#store/db.ts'
import { createUserStore } from '#store/users.ts'
import {
  ensureFirstOwner,
  type FirstOwnerInput,
  type FirstOwnerOutcome,
  type FirstOwnerPorts,
} from './ensure-first-owner.ts'

/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01'

/**
 * Makes the first owner straight in the database, for a deployment that nobody can sign in to yet. Throws
 * `not_configured` when the database has no tables.
 */
export async function bootstrapOwner(
  input: FirstOwnerInput & { databaseUrl: string } & Omit<FirstOwnerPorts, 'users'>,
): Promise<FirstOwnerOutcome> {
  const db = createDb(input.databaseUrl, { max: 1, name: 'svc-bootstrap' })
  try {
    return await ensureFirstOwner({ ...input, users: createUserStore(db) }, input)
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code !== UNDEFINED_TABLE) throw cause
    throw new DomainError('not_configured', 'This database has no tables yet: start svc once.', {}, { cause })
  } finally {
    await db.end({ timeout: 2 })
  }
}
