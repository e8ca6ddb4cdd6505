import { isObject } from '#core/json/json.ts'
import { createLru } from '#core/lru.ts'
import { type AcceptedTool, digestedText, readTool, type ToolDefinition, toolChanges } from '#core/mcp/tool-schema.ts'
import { OperatorError } from '#core/operator.ts'
import type { McpClient, McpTarget, McpTools } from '#platform/mcp/mcp-client.ts'

const MAX_KEPT = 1_000
const MAX_KEPT_MS = 60_000

/** Keeps what a server describes now, where that is not what was accepted; undefined where it has no such tool. */
type OnChange = (described: ToolDefinition | undefined) => Promise<void>

/**
 * Creates the check that a server describes a tool as it was accepted. What a server says holds as long as it says so itself, for a minute at
 * most; without that, and wherever it differs, the server is asked. Throws OperatorError `plan_changed`.
 */
export function createDefinitionCheck(mcp: Pick<McpClient, 'listTools'>, now: () => number = () => performance.now()) {
  const kept = createLru<string, { text: string; until: number }>(MAX_KEPT)
  return async (target: McpTarget, accepted: AcceptedTool, onChange?: OnChange): Promise<void> => {
    const { name } = accepted.definition
    const key = `${name} ${target.url}`
    const text = digestedText(accepted.definition)
    const known = kept.get(key)
    if (known?.text === text && known.until > now()) return
    const { tools, ttl_ms } = await mcp.listTools(target)
    const described = describedAs(tools, name)
    if (described !== undefined && digestedText(described) === text) {
      if (ttl_ms > 0) kept.set(key, { text, until: now() + Math.min(ttl_ms, MAX_KEPT_MS) })
      return
    }
    await onChange?.(described)
    throw changed(accepted, described)
  }
}

function describedAs(tools: McpTools['tools'], name: string): ToolDefinition | undefined {
  const [first, ...others] = tools.filter((each) => isObject(each) && each['name'] === name)
  const read = first === undefined || others.length > 0 ? undefined : readTool(first)
  return read === undefined || 'why' in read ? undefined : read
}

function changed({ definition, digest }: AcceptedTool, described: ToolDefinition | undefined): OperatorError {
  const { name } = definition
  if (described === undefined) {
    const message = `the server does not offer ${name} as it was accepted (${digest}): nothing was called`
    return new OperatorError('plan_changed', message, { cost: {} })
  }
  const changes = toolChanges(definition, described)
  const members = changes.map(({ member }) => member).join(', ')
  return new OperatorError(
    'plan_changed',
    `the server describes ${name} otherwise than it was accepted (${members}): nothing was called. An admin looks at it: svc connections tools show`,
    { cost: {}, details: { changes } },
  )
}
