import type { Environment } from '#core/environment.ts'
import { DomainError } from '#core/errors.ts'
import type { Connection, ConnectionTarget } from '#core/operator.ts'
import type { StepDeps } from './deps.ts'
import { connectionTarget } from './operators/connection-target.ts'

/** A connection as one step uses it: read once, judged, hashed, shown and used as that. */
export interface ResolvedConnection extends Connection {
  id: string
  target: ConnectionTarget
}

/** Throws `not_found` or `not_configured`, which say what to do about it. */
export async function resolveConnection(
  deps: Pick<StepDeps, 'connect'>,
  environment: Environment,
  id: string,
): Promise<ResolvedConnection> {
  const { kind, url } = await deps.connect(environment, id)
  try {
    return { id, kind, url, target: connectionTarget({ kind, url }) }
  } catch (cause) {
    const why = cause instanceof DomainError ? cause.message : 'its url cannot be read'
    throw new DomainError('not_configured', `connection ${id}: ${why}`, {}, { cause })
  }
}
