import { DomainError } from '#core/errors.ts'
import type { Config } from '#platform/config.ts'
import { runningDatabase } from '#platform/embedded/running-database.ts'
import { createIds } from '#platform/ids.ts'
import { createPasswords } from '#platform/password.ts'
import { bootstrapOwner } from '#services/auth/bootstrap-owner.ts'
import type { FirstOwner } from './deps.ts'

const REFUSED = {
  exists: 'there is an owner already: let that one invite you',
  email_taken: 'somebody without the role of an owner has this address already: take another one',
} as const

/** Makes the first owner in the database that the settings name, or in the embedded one that runs. Throws `conflict` when there is an owner. */
export async function bootstrapOwnerIn(config: Config, owner: FirstOwner): Promise<void> {
  const databaseUrl = config.databaseUrl ?? (await runningDatabase(config.home))
  const ports = { passwords: createPasswords(), ids: createIds(), clock: Date.now }
  const outcome = await bootstrapOwner({ databaseUrl, ...owner, ...ports }).catch((cause: unknown) => {
    if (!(cause instanceof Error) || !('code' in cause) || !isConnection(String(cause.code))) throw cause
    throw new DomainError('dependency_unavailable', `the database cannot be used: ${cause.message}`, {}, { cause })
  })
  if (outcome !== 'created') throw new DomainError('conflict', REFUSED[outcome])
}

/** Codes of the operating system, of the driver, and PostgreSQL's classes 08 (connection) and 28 (authorization). */
function isConnection(code: string): boolean {
  return /^(E[A-Z]+|CONN\w+|CONNECT\w+|08\w{3}|28\w{3}|3D000)$/.test(code)
}
