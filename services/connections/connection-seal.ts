import { addressOf, type ConnectionSettings } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import type { ConnectionBox, SealedFor } from '#platform/connection-box.ts'
import type { AuthorizationVersion } from '#store/connections/authorizations.ts'

/** What a secret of a connection is sealed for: its version, or the tokens of an authorization, which outlive a version. */
export function sealedFor({
  id,
  version,
  authorization,
  ...settings
}: ConnectionSettings & { id: string; version: number; authorization: AuthorizationVersion | null }): SealedFor {
  const address = addressOf(settings)
  return authorization === null
    ? { id, version, address }
    : { id: `${id}/${authorization.id}`, version: authorization.token_version, address }
}

/** Opens the secret of a connection. Throws `not_configured` where no key of this process opens it. */
export async function openSecret(
  box: ConnectionBox | undefined,
  row: ConnectionSettings & { id: string; version: number },
  sealed: string,
): Promise<string> {
  return await mustHaveBox(box).open(sealedFor({ ...row, authorization: null }), sealed)
}

/** Throws `not_configured` in a process without keys. */
export function mustHaveBox(box: ConnectionBox | undefined): ConnectionBox {
  if (box !== undefined) return box
  throw new DomainError(
    'not_configured',
    'secrets of connections cannot be opened here: set SVC_SECRET_KEYS or SVC_SECRET_KEY',
  )
}
