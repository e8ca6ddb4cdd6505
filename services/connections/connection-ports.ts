import type { Log } from '#core/log.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { ConnectionBox } from '#platform/connection-box.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { McpClient } from '#platform/mcp/mcp-client.ts'
import type { OAuthClient } from '#platform/oauth/oauth-client.ts'
import type { AuthorizationStore, OauthFlow } from '#store/connections/authorizations.ts'
import type { createConnectionStore } from '#store/connections/connections.ts'
import type { McpToolStore } from '#store/connections/mcp-tools.ts'
import type { ServiceContext } from '../context.ts'

/** The dependencies of connections. */
export interface ConnectionPorts {
  store: ReturnType<typeof createConnectionStore>
  /** seals and opens secrets; undefined without a key */
  box: ConnectionBox | undefined
  /** a test runs as the operators do */
  operators: Pick<OperatorCatalog, 'get'>
  egress: Pick<EgressClient, 'resolve'>
  tools: McpToolStore
  mcp: Pick<McpClient, 'listTools'>
  /** reads the environments of the console again: another process may have changed them */
  refresh(): Promise<void>
  /** slugs of the workspaces that there are */
  slugs(): Promise<string[]>
  authorizations: AuthorizationStore
  oauth: OAuthClient
  /** where providers lead browsers back to */
  redirect_uri: string
  /** why who began a flow may not end it; undefined where they may */
  whyNotAllowed(
    flow: Pick<OauthFlow, 'actor' | 'key_id' | 'token_version'>,
  ): Promise<'not_allowed' | 'signed_out' | undefined>
  log: Pick<Log, 'error'>
}

export type ConnectionContext = ServiceContext & { connection_ports: ConnectionPorts }
