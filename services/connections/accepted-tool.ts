import { type ConnectionSettings, leadsTo } from '#core/connection/kind-schema.ts'
import { DomainError } from '#core/errors.ts'
import { type AcceptedTool, toolChanges } from '#core/mcp/tool-schema.ts'
import type { ConnectionRow } from '#store/connections/connections.ts'
import type { McpToolStore, ToolRow } from '#store/connections/mcp-tools.ts'

/** Where tools are accepted. */
export function placeOf(row: ConnectionSettings & Pick<ConnectionRow, 'id'>) {
  return { connection_id: row.id, address: leadsTo(row) }
}

interface ToolProblem {
  code: 'not_configured' | 'plan_changed'
  what: string
  fix: string
}

/** A tool as a person has accepted it, or why steps may not use it. */
export function judgeTool(
  { name: of }: Pick<ConnectionRow, 'name'>,
  name: string,
  tool: ToolRow | undefined,
): AcceptedTool | ToolProblem {
  const named = `the tool ${name} of ${of}`
  if (tool === undefined || tool.accepted === null) {
    const fix = `an admin reads and accepts it: svc connections tools discover ${of}`
    return { code: 'not_configured', what: `${named} was not accepted`, fix }
  }
  const { definition, digest, effect } = tool.accepted
  if (tool.state === 'accepted') return { definition, digest, effect }
  if (tool.state === 'removed') {
    const fix = `an admin asks the server again: svc connections tools discover ${of}`
    return { code: 'not_configured', what: `${named} is not offered by the server any more`, fix }
  }
  const members = toolChanges(definition, tool.definition).map(({ member }) => member)
  const fix = `an admin reads and accepts it: svc connections tools show ${of} ${name}`
  return { code: 'plan_changed', what: `${named} is not what was accepted (${members.join(', ')})`, fix }
}

/** Throws `not_configured` where nobody has accepted the tool, `plan_changed` where it is another one by now. */
export async function acceptedTool(
  tools: Pick<McpToolStore, 'find'>,
  row: ConnectionRow,
  name: string,
): Promise<AcceptedTool> {
  const judged = judgeTool(row, name, await tools.find(placeOf(row), name))
  if ('what' in judged) throw new DomainError(judged.code, `${judged.what}: ${judged.fix}`)
  return judged
}
