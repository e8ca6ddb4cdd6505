// The client under test of the conformance suite of MCP: it lists the tools of a server and calls each that could be accepted, as `mcp.tool` does.
import { isObject, type Json, type JsonObject } from '#core/json/json.ts'
import { readTool } from '#core/mcp/tool-schema.ts'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createMcpClient } from '#platform/mcp/mcp-client.ts'

const EXAMPLES: Record<string, Json> = { string: 'a', number: 1, integer: 1, boolean: true }

const [url = ''] = process.argv.slice(2)
const client = createMcpClient(createEgressClient())
const target = { url, egress: ['loopback'], signal: AbortSignal.timeout(20_000) }

function argumentsOf(name: string, schema: JsonObject): JsonObject {
  // its scenario compares the schema that was listed with what comes back
  if (name === 'json_schema_echo') return { schema: schemas['json_schema_2020_12_tool'] ?? {} }
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  return Object.fromEntries(
    properties.map(([key, each]) => [key, (isObject(each) && EXAMPLES[String(each['type'])]) || 'a']),
  )
}

const schemas: JsonObject = {}

async function run(): Promise<void> {
  const { tools } = await client.listTools(target)
  for (const tool of tools) if (isObject(tool)) schemas[String(tool['name'])] = tool['inputSchema'] ?? {}
  for (const tool of tools.map(readTool)) {
    if ('why' in tool) continue
    const given = argumentsOf(tool.name, tool.input_schema)
    await client.callTool(target, {
      ...{ name: tool.name, arguments: given, max_bytes: 100_000 },
      beforeSending: async () => undefined,
    })
  }
}

run().catch((error: unknown) => {
  // what a server without tools is told; the scenarios judge what was sent
  if (!(error instanceof OperatorError)) throw error
  process.stdout.write(`${error.code}: ${error.message}\n`)
})
