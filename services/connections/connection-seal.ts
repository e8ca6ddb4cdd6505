import { addressOf, type ConnectionPlace } from '#core/connection/kind-schema.ts'
import type { SealedFor } from '#platform/connection-box.ts'
import type { GrantTokens } from '#store/connection-grants.ts'

/** What a secret of a connection is sealed for: its version, or the tokens of a grant, which outlive a version. */
export function sealedFor({
  id,
  version,
  grant,
  ...place
}: ConnectionPlace & { id: string; version: number; grant: GrantTokens | null }): SealedFor {
  const address = addressOf(place)
  return grant === null ? { id, version, address } : { id: `${id}/${grant.id}`, version: grant.tokens, address }
}
