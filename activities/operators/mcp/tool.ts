import { canonicalText } from '#core/json/canonical.ts'
import type { JsonObject } from '#core/json/json.ts'
import { type AcceptedTool, claimsToDestroy } from '#core/mcp/tool-schema.ts'
import { type Connection, defineOperator, type Operator, type OperatorContext, OperatorError } from '#core/operator.ts'
import { firstViolation } from '#core/plan/json-schema.ts'
import { connectionText } from '#core/run/shown-data.ts'
import { cutText } from '#core/text/text.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { McpClient, McpTarget } from '#platform/mcp/mcp-client.ts'
import { operatorInput } from '../operator-input.ts'
import { predicted } from '../predicted.ts'
import { createDefinitionCheck } from './definition-check.ts'
import { toolOutputs } from './result.ts'
import { McpToolInput } from './schema.ts'

const MAX_BYTES = 256 * 1024
const SAID_CHARS = 2_000

/** Of a process that runs no step. */
const NO_CLIENT: McpClient = {
  listTools: () => Promise.reject(notHere()),
  callTool: () => Promise.reject(notHere()),
}
const notHere = () => new OperatorError('not_configured', 'no tools are called in this process')

/** As the accepted tool completes it. */
type Call = McpToolInput & { effect?: 'read' | 'write'; claims_to_destroy?: true }

/** Creates `mcp.tool`: one call of a tool that a person has accepted, as they accepted it. */
export function createMcpTool({ egress, mcp = NO_CLIENT }: { egress: EgressClient; mcp?: McpClient }): Operator {
  const mustBeAsAccepted = createDefinitionCheck(mcp)
  return defineOperator<Call>({
    id: 'mcp.tool',
    version: 1,
    title: 'Call an MCP tool',
    risk: 'medium',
    action_type: 'mcp.call',
    capabilities: ['mcp.call'],
    requires_approval: false,
    ...operatorInput<Call>(McpToolInput),
    connection: ({ connection }) => connection,
    tool: ({ tool }) => tool,
    applyConnection: (input, connection) => {
      const { effect, definition } = toolOf(input, connection)
      mustFit(input, definition.input_schema)
      return { ...input, effect, ...(claimsToDestroy(definition) && { claims_to_destroy: true }) }
    },
    actionType: ({ effect }) => (effect === 'read' ? 'read' : 'mcp.call'),
    riskOf: ({ claims_to_destroy }) => (claims_to_destroy ? 'high' : 'medium'),
    replay: ({ effect, idempotent }) => (effect === 'read' || idempotent === true ? 'safe' : 'ask'),
    describe: (input, { connection }) => ({
      summary: `call ${input.tool} of ${connectionText(input.connection, connection?.target)}`,
      targets: { kind: 'mcp', ids: [`${input.connection}/${input.tool}`] },
      command: `tools/call ${input.tool} ${canonicalText(input.arguments ?? {})}`,
    }),
    simulate: (ctx, input) =>
      predicted(ctx, async () => {
        const { url } = await ctx.connection(input.connection)
        const { origin, pathname } = new URL(url)
        const asked = { url: `${origin}${pathname}`, egress: ctx.environment.egress, signal: ctx.signal }
        const { addresses } = await egress.resolve(asked)
        return {
          ok: true,
          summary: `would call ${input.tool} of ${input.connection}`,
          details: { arguments: input.arguments ?? {}, addresses },
        }
      }),
    async execute(ctx, input) {
      const connection = await ctx.connection(input.connection)
      const tool = toolOf(input, connection)
      const target = { url: connection.url, egress: ctx.environment.egress, signal: ctx.signal }
      await mustBeAsAccepted(target, tool, connection.toolFound)
      const result = await call(mcp, ctx, { input, target })
      return { outputs: toolOutputs(result, tool.definition) }
    },
  })
}

function toolOf({ connection: id, tool }: Call, { kind, tool: accepted }: Connection): AcceptedTool {
  if (accepted?.definition.name === tool) return accepted
  throw new OperatorError(
    'connection_kind',
    `connection ${id} (${kind}) has no tools; mcp.tool takes one of the console`,
  )
}

function mustFit({ tool, arguments: given = {} }: Call, schema: JsonObject): void {
  const violation = firstViolation(schema, given, { foreign: true })
  if (violation === undefined) return
  const { pointer, msg } = violation
  throw new OperatorError('validation_failed', `the arguments of ${tool}: ${pointer} ${msg}`, {
    details: { errors: [{ pointer: `/arguments${pointer}`, msg }] },
  })
}

/** Sends the call once. What was sent and has no answer may have acted. */
async function call(
  mcp: McpClient,
  ctx: OperatorContext,
  { input, target }: { input: Call; target: McpTarget },
): Promise<JsonObject> {
  let called = false
  try {
    return await mcp.callTool(target, {
      name: input.tool,
      arguments: input.arguments ?? {},
      max_bytes: input.max_bytes ?? MAX_BYTES,
      async beforeSending() {
        await ctx.beforeSending()
        called = true
      },
    })
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const { said, ...details } = error.details ?? {}
    const text = typeof said === 'string' && said !== '' ? `: ${cutText(said, SAID_CHARS)}` : ''
    const may_have_acted = called && details['sent'] !== false
    const is_safe = input.effect === 'read' || input.idempotent === true
    throw new OperatorError(error.code, `${error.message}${text}`, {
      retryable: error.retryable && (is_safe || !may_have_acted),
      unknown_outcome: may_have_acted && !is_safe,
      retry_after_ms: error.retry_after_ms,
      details,
      cause: error,
    })
  }
}
