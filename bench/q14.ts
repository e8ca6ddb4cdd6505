import { createDefinitionCheck } from '#activities/operators/mcp/definition-check.ts'
import type { Json } from '#core/json/json.ts'
import { type AcceptedTool, readTool } from '#core/mcp/tool-schema.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createMcpClient, type McpTarget } from '#platform/mcp/mcp-client.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'
import { defineScenario, type Given } from './scenario.ts'
import { quantile, round } from './stats.ts'

const TOOLS = 200
const FIELDS = 20

export const q14 = defineScenario({
  id: 'q14',
  run: (given: Given) => measure(given.number('checks', given.quick ? 500 : 5_000)),
  show(rows) {
    console.log('\nQ14 a tool is what was accepted: the check before a call')
    console.table(rows)
  },
})

/** Measures the check where the list is kept, where it is read again, and where a server is asked for it; the last beside the list alone. */
async function measure(checks: number) {
  const tools = Array.from({ length: TOOLS }, (_, at) => describedTool(`tool_${at}`))
  const accepted = acceptedTool(tools[TOOLS - 1])
  const target: McpTarget = { url: 'http://127.0.0.1/', egress: ['loopback'], signal: new AbortController().signal }
  const kept = createDefinitionCheck({ listTools: async () => ({ tools, ttl_ms: 60_000 }) })
  const read = createDefinitionCheck({ listTools: async () => ({ tools, ttl_ms: 0 }) })
  const server = await startMcpServer()
  const client = createMcpClient(createEgressClient())
  const served = { ...target, url: server.url }
  const asked = createDefinitionCheck(client)
  const write = acceptedTool(JSON.parse(JSON.stringify(server.tools.get('write'))))
  const rows = [
    { check: 'of a list that is kept', ...(await timed(checks, () => kept(target, accepted))) },
    { check: `of ${TOOLS} tools, read`, ...(await timed(checks, () => read(target, accepted))) },
    { check: 'at a server that is asked', ...(await timed(checks / 20, () => asked(served, write))) },
    { check: 'the list of that server alone', ...(await timed(checks / 20, () => client.listTools(served))) },
  ]
  await server.stop()
  return rows
}

async function timed(times: number, work: () => Promise<unknown>) {
  const took: number[] = []
  // the first is compiled
  await work()
  for (let time = 0; time < times; time += 1) {
    const began = performance.now()
    await work()
    took.push(performance.now() - began)
  }
  return { 'p50 ms': round(quantile(took, 0.5), 4), 'p99 ms': round(quantile(took, 0.99), 4) }
}

function describedTool(name: string): Json {
  const fields = Array.from({ length: FIELDS }, (_, at) => [`field_${at}`, { type: 'string', maxLength: 100 + at }])
  return {
    name,
    title: `The tool ${name}`,
    description: 'Does what it says. '.repeat(20),
    inputSchema: { type: 'object', properties: Object.fromEntries(fields), required: ['field_0'] },
    annotations: { destructiveHint: true },
  }
}

function acceptedTool(described: Json | undefined): AcceptedTool {
  const definition = readTool(described ?? null)
  if ('why' in definition) throw new Error(definition.why)
  return { definition, digest: `sha256:${'0'.repeat(64)}`, effect: 'write' }
}
