import { type ConnectionSettings, leadsTo } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import { type AcceptedTool, toolChanges } from '#core/mcp/tool-schema.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import type { McpToolStore } from '#store/connections/mcp-tools.ts'

/** Where tools are accepted. */
export function placeOf(row: ConnectionSettings & Pick<ConnectionRow, 'id'>) {
  return { connection_id: row.id, address: leadsTo(row) }
}

/** A tool as a person has accepted it. Throws `not_configured` where nobody has, `plan_changed` where it is another one by now. */
export async function acceptedTool(
  tools: Pick<McpToolStore, 'find'>,
  row: ConnectionRow,
  name: string,
): Promise<AcceptedTool> {
  const tool = await tools.find(placeOf(row), name)
  const named = `the tool ${name} of ${row.name}`
  if (tool === undefined || tool.accepted === null)
    throw new DomainError(
      'not_configured',
      `${named} was not accepted: an admin reads and accepts it: svc connections tools discover ${row.name}`,
    )
  if (tool.state === 'accepted') {
    const { definition, digest, effect } = tool.accepted
    return { definition, digest, effect }
  }
  if (tool.state === 'removed')
    throw new DomainError('not_configured', `${named} is not offered by the server any more`)
  const members = toolChanges(tool.accepted.definition, tool.definition).map(({ member }) => member)
  throw new DomainError(
    'plan_changed',
    `${named} is not what was accepted (${members.join(', ')}): an admin reads and accepts it: svc connections tools show ${row.name} ${name}`,
  )
}
