import { addressOf, type ConnectionSettings, connectionUrl } from '#core/connection/kind-schema.ts'
import { isGranted } from '#core/environment/environment.ts'
import { DomainError } from '#core/errors.ts'
import { type AcceptedTool, type ToolDefinition, toolChanges } from '#core/mcp/tool-schema.ts'
import { type Connection, OperatorError } from '#core/operator.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { ConnectionRow, createConnectionStore, SealedRow } from '#store/connections/connections.ts'
import type { McpToolStore } from '#store/connections/mcp-tools.ts'
import { systemAudit } from '../audit/system-audit.ts'
import type { WorkspaceDirectory } from '../workspaces/workspace-directory.ts'
import { acceptedTool, placeOf } from './accepted-tool.ts'
import { openSecret } from './connection-seal.ts'
import { accessToken, type TokenPorts } from './refresh-tokens.ts'

interface Rules {
  egress: string[]
  signal: AbortSignal
}

/** The step that uses a connection. */
interface Use extends Rules {
  run: { id: string; workspace_id: string }
  step_id: string
}

/** A connection as a step is resolved through it. */
export interface OpenedConnection extends Connection {
  /** Puts the use on record and checks where it leads, before anything is sent. Absent for a connection of a file. */
  use?(by: Use): Promise<Pick<Connection, 'address' | 'toolFound'>>
  /** what approvals cover of it, where that is not its url: a refresh changes the url, and nothing that a person authorised */
  covered?: string
}

export interface OpenPorts extends TokenPorts {
  store: Pick<ReturnType<typeof createConnectionStore>, 'find' | 'findSealed' | 'sealed' | 'used'>
  tools: Pick<McpToolStore, 'find' | 'described'>
  egress: Pick<EgressClient, 'resolve'>
  workspaces: Pick<WorkspaceDirectory, 'find'>
}

/**
 * Opens a connection of the console for runs of a workspace, as it is now. Throws `not_found` where it does not exist or is not granted, and
 * `not_configured` where it cannot be opened.
 */
export async function openConnection(
  ports: OpenPorts,
  {
    stored,
    kind,
    id,
    workspaceId,
    tool,
  }: { stored: string; kind: string; id: string; workspaceId: string; tool?: string | undefined },
): Promise<OpenedConnection> {
  const [row, workspace] = await Promise.all([ports.store.findSealed(stored), ports.workspaces.find(workspaceId)])
  if (row === undefined || !isGranted(row, workspace?.slug)) {
    const why = `there is no connection ${stored} that this workspace may use`
    throw new DomainError('not_found', `connection ${id}: ${why}; an admin grants it under Connections`)
  }
  if (row.kind !== kind)
    throw new DomainError('not_configured', `connection ${id}: ${stored} is of the kind ${row.kind}, not ${kind}`)
  const url = connectionUrl(row, await secretOf(ports, row, id))
  const accepted = tool !== undefined && row.kind === 'mcp' ? await acceptedTool(ports.tools, row, tool) : undefined
  return {
    kind,
    url,
    ...(accepted !== undefined && { tool: accepted }),
    ...(row.authorization !== null && { covered: coveredOf(row, row.authorization.id) }),
    async use({ run, step_id, ...rules }) {
      await recordUse(ports, row, { run, step_id })
      const reach = await reachOf(ports.egress, row, rules)
      if (accepted === undefined) return reach
      return { ...reach, toolFound: (described) => recordTool(ports, row, { run, accepted, described }) }
    },
  }
}

/** The address, the secret of the client, and the authorisation. */
function coveredOf(row: ConnectionRow, grantId: string): string {
  return [addressOf(row), row.fingerprint, grantId].join(' ')
}

async function secretOf(ports: OpenPorts, row: SealedRow, id: string): Promise<string> {
  if (row.auth === 'none') return ''
  try {
    if (row.auth === 'oauth2') return await accessToken(ports, row)
    return await openSecret(ports.box, row, row.sealed ?? '')
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const code = error.code === 'dependency_unavailable' ? error.code : 'not_configured'
    throw new DomainError(code, `connection ${id}: ${error.message}`, {}, { cause: error })
  }
}

async function recordUse(
  ports: OpenPorts,
  { id, name, version }: ConnectionRow,
  { run, step_id }: Pick<Use, 'run' | 'step_id'>,
): Promise<void> {
  const use = { connection_id: id, version, run_id: run.id, step_id }
  const audit = systemAudit(ports, {
    category: 'lineage',
    action: 'connection.used',
    workspace_id: run.workspace_id,
    run_id: run.id,
    subject: { type: 'connection', id },
    data: { name, version, step: step_id },
  })
  await ports.store.used(use, audit).catch((cause: unknown) => {
    const message = `the use of connection ${name} cannot be put on record, so nothing is sent`
    throw new OperatorError('dependency_unavailable', message, { retryable: true, cost: {}, cause })
  })
}

/** The step fails for the change itself, also where it cannot be put on record. */
async function recordTool(
  ports: OpenPorts,
  row: ConnectionRow,
  { run, accepted, described }: { run: Use['run']; accepted: AcceptedTool; described: ToolDefinition | undefined },
): Promise<void> {
  const { digest, definition } = accepted
  const audit = systemAudit(ports, {
    category: 'admin',
    action: 'connection.tool_changed',
    workspace_id: run.workspace_id,
    run_id: run.id,
    subject: { type: 'connection', id: row.id },
    data: {
      name: row.name,
      version: row.version,
      tool: definition.name,
      accepted: digest,
      changes: described === undefined ? [] : toolChanges(definition, described).map(({ member }) => member),
      offered: described !== undefined,
    },
  })
  const found = { name: definition.name, accepted: digest, definition: described }
  await ports.tools.described(placeOf(row), found, audit).catch((err: unknown) => {
    ports.log.error({ err, connection: row.name, tool: definition.name }, 'a changed tool cannot be put on record')
  })
}

/**
 * Checks where it leads against what an environment may reach. An HTTP client checks each request itself; a database is looked up once, and the
 * session goes to the address that was checked. Rejects with `egress_denied` or `unreachable`.
 */
export async function reachOf(
  egress: Pick<EgressClient, 'resolve'>,
  { kind, config }: ConnectionSettings,
  rules: Rules,
): Promise<{ address?: string }> {
  if (kind !== 'postgres') return {}
  const { addresses } = await egress.resolve({ url: `http://${config['host']}:${config['port']}/`, ...rules })
  const [address] = addresses
  return address === undefined ? {} : { address }
}
