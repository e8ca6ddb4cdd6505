import type { Log } from '#core/log.ts'
import { createConnectionBox } from '#platform/connection-box.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { createMcpClient } from '#platform/mcp/mcp-client.ts'
import { createOAuthClient } from '#platform/oauth/oauth-client.ts'
import { createAuthorizationStore } from '#store/connections/authorizations.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { createMcpToolStore } from '#store/connections/mcp-tools.ts'
import type { Db } from '#store/db.ts'

/** How connections are stored, sealed, authorised and reached, the same in every process that uses them. */
export function createConnectionPorts({
  db,
  keys,
  egress,
  log,
}: {
  db: Db
  keys: readonly string[]
  egress: EgressClient
  log: Pick<Log, 'error'>
}) {
  return {
    store: createConnectionStore(db),
    authorizations: createAuthorizationStore(db),
    tools: createMcpToolStore(db),
    box: createConnectionBox(keys),
    oauth: createOAuthClient(egress),
    mcp: createMcpClient(egress),
    egress,
    log,
  }
}
