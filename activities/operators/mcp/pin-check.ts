import { isObject, type Json } from '#core/json/json.ts'
import { createLru } from '#core/lru.ts'
import { type AcceptedTool, digestedText, readTool, toolChanges } from '#core/mcp/tool-schema.ts'
import { OperatorError } from '#core/operator.ts'
import type { McpClient, McpTarget } from '#platform/mcp/mcp-client.ts'

const MOST_KEPT = 100
const MOST_KEPT_MS = 60_000

/**
 * Creates the check that a server describes a tool as it was accepted. What a server says holds as long as it says so itself, for a minute at
 * most; without that, it is asked each time. Throws OperatorError `plan_changed`.
 */
export function createPinCheck(mcp: Pick<McpClient, 'listTools'>, now: () => number = () => performance.now()) {
  const kept = createLru<string, { tools: Json[]; until: number }>(MOST_KEPT)
  return async (target: McpTarget, { definition, digest }: AcceptedTool): Promise<void> => {
    const known = kept.get(target.url)
    let tools = known !== undefined && known.until > now() ? known.tools : undefined
    if (tools === undefined) {
      const found = await mcp.listTools(target)
      tools = found.tools
      if (found.ttl_ms > 0) kept.set(target.url, { tools, until: now() + Math.min(found.ttl_ms, MOST_KEPT_MS) })
    }
    const described = tools.filter((each) => isObject(each) && each['name'] === definition.name)
    const [live] = described
    const read = live === undefined || described.length > 1 ? undefined : readTool(live)
    if (read === undefined || 'why' in read) {
      const message = `the server does not offer ${definition.name} as it was accepted (${digest}): nothing was called`
      throw new OperatorError('plan_changed', message, { cost: {} })
    }
    if (digestedText(read) === digestedText(definition)) return
    const changes = toolChanges(definition, read)
    const members = changes.map(({ member }) => member).join(', ')
    throw new OperatorError(
      'plan_changed',
      `the server describes ${definition.name} otherwise than it was accepted (${members}): nothing was called. An admin looks at it: svc connections tools discover`,
      { cost: {}, details: { changes } },
    )
  }
}
