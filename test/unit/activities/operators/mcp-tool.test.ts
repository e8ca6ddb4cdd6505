import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDefinitionCheck } from '#activities/operators/mcp/definition-check.ts'
import { toolOutputs } from '#activities/operators/mcp/result.ts'
import { createMcpTool } from '#activities/operators/mcp/tool.ts'
import type { Json, JsonObject } from '#core/json/json.ts'
import { type AcceptedTool, readTool, type ToolEffect } from '#core/mcp/tool-schema.ts'
import { OperatorError } from '#core/operator.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createMcpClient } from '#platform/mcp/mcp-client.ts'
import { startMcpServer } from '#test/support/mcp-server.ts'
import { operatorContext } from '#test/support/operator-context.ts'

const egress = createEgressClient()
const operator = createMcpTool({ egress, mcp: createMcpClient(egress) })
let server: Awaited<ReturnType<typeof startMcpServer>>
beforeAll(async () => {
  server = await startMcpServer()
})
beforeEach(() => server.reset())
afterAll(() => server.stop())

function accepted(name: string, effect: ToolEffect = 'write'): AcceptedTool {
  const definition = readTool(JSON.parse(JSON.stringify(server.tools.get(name))) as Json)
  if ('why' in definition) throw new Error(definition.why)
  return { definition, digest: `sha256:${'0'.repeat(64)}`, effect }
}
const applied = (tool: AcceptedTool, input: JsonObject) => {
  const parsed = operator.parse({ connection: 'desk', tool: tool.definition.name, ...input })
  return operator.applyConnection?.(parsed, { kind: 'mcp', url: server.url, tool }) ?? parsed
}
async function call(tool: AcceptedTool, input: JsonObject = {}) {
  const ctx = operatorContext({ egress: ['loopback'] })
  ctx.connection = async () => ({ kind: 'mcp', url: server.url, tool })
  return (await operator.execute(ctx, applied(tool, input))).outputs
}
async function failure(work: Promise<unknown>): Promise<OperatorError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof OperatorError) return error
  throw new Error(`no failure: ${error}`)
}
const TEXT = { arguments: { text: 'a' } }
const calls = () => server.requests.filter(({ method }) => method === 'tools/call').length

describe('a tool that was accepted', () => {
  test('is called once, and its answer is not trusted', async () => {
    expect(await call(accepted('write'), TEXT)).toEqual({
      text: '1',
      structured: { count: 1 },
      other: [],
      untrusted: true,
    })
    expect(server.written).toEqual(['a'])
  })

  test.each<[string, JsonObject]>([
    ['missing', {}],
    ['of another type', { arguments: { text: 1 } }],
    ['longer than its schema says', { arguments: { text: 'x'.repeat(101) } }],
  ])('gets no argument that is %s', (_what, input) => {
    expect(() => applied(accepted('write'), input)).toThrow(/the arguments of write/)
  })

  test.each<[string, object, object]>([
    [
      'another description',
      { description: 'Writes a text, and sends it elsewhere' },
      { member: 'description', before: 'Writes a text', after: 'Writes a text, and sends it elsewhere' },
    ],
    [
      'another schema',
      { inputSchema: { type: 'object' } },
      { member: 'input_schema', before: expect.stringContaining('maxLength'), after: '{"type":"object"}' },
    ],
    ['annotations', { annotations: { readOnlyHint: true } }, { member: 'annotations', after: '{"readOnlyHint":true}' }],
  ])('is not called when the server gives it %s, and says what has changed', async (_what, change, changed) => {
    const tool = accepted('write')
    server.redefine('write', change)
    expect(await failure(call(tool, TEXT))).toMatchObject({
      code: 'plan_changed',
      retryable: false,
      unknown_outcome: false,
      details: { changes: [changed] },
    })
    expect(calls()).toBe(0)
  })

  test('is not called when the server has it no more, or twice', async () => {
    const tool = accepted('write')
    server.tools.delete('write')
    expect(await failure(call(tool, TEXT))).toMatchObject({ code: 'plan_changed' })
    server.tools.set('one', { ...tool.definition, inputSchema: { type: 'object' } })
    server.tools.set('two', { name: 'write', inputSchema: { type: 'object' } })
    expect(await failure(call(tool, TEXT))).toMatchObject({ code: 'plan_changed' })
    expect(calls()).toBe(0)
  })

  test('is a write whatever it claims; a person alone makes it a read', () => {
    const facts = (tool: AcceptedTool) => {
      const input = applied(tool, tool.definition.name === 'wipe' ? {} : TEXT)
      return [operator.actionType?.(input), operator.riskOf?.(input), operator.replay(input)]
    }
    expect(facts(accepted('liar'))).toEqual(['mcp.call', 'medium', 'ask'])
    expect(facts(accepted('wipe'))).toEqual(['mcp.call', 'high', 'ask'])
    expect(facts(accepted('wipe', 'read'))).toEqual(['read', 'high', 'safe'])
  })

  test('cannot be made a read by a template', () => {
    expect(() => operator.parse({ connection: 'desk', tool: 'write', effect: 'read' })).toThrow(/effect/)
    const input = operator.parse({ connection: 'desk', tool: 'write' })
    expect(() => operator.applyConnection?.(input, { kind: 'http', url: 'https://a.example.com/' })).toThrow(
      /has no tools/,
    )
  })
})

describe('an answer', () => {
  test('has its texts; what else is in it is named without its bytes', () => {
    const data = 'iVBORw0KGgo='
    const content = [
      { type: 'text', text: 'a chart:' },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'resource', resource: { uri: 'file:///chart.png', mimeType: 'image/png', blob: data } },
      { type: 'text', text: 'that is all' },
    ]
    const outputs = toolOutputs({ content }, accepted('fails').definition)
    expect(outputs).toEqual({
      text: 'a chart:\nthat is all',
      other: [
        { type: 'image', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///chart.png', mimeType: 'image/png' } },
      ],
      untrusted: true,
    })
  })

  test('that is an error fails the step with its text', async () => {
    expect(await failure(call(accepted('fails'), TEXT))).toMatchObject({
      ...{ code: 'tool_failed', message: 'fails failed: no room for a', unknown_outcome: false, retryable: false },
    })
  })

  test('that breaks the output schema fails the step, which says that the tool was called', async () => {
    expect(await failure(call(accepted('shapeless')))).toMatchObject({
      ...{ code: 'answer_invalid', message: expect.stringMatching(/^shapeless has been called; .*count/) },
    })
  })

  test.each([
    ['is lost', 'lost', TEXT, 'connection_lost'],
    ['is too large', 'huge', {}, 'response_too_large'],
  ] as const)(
    'that %s leaves the outcome unknown, unless the step may be repeated',
    async (_how, name, input, code) => {
      expect(await failure(call(accepted(name), input))).toMatchObject({
        code,
        retryable: false,
        unknown_outcome: true,
      })
      expect(await failure(call(accepted(name), { ...input, idempotent: true }))).toMatchObject({
        unknown_outcome: false,
      })
      expect(calls()).toBe(2)
    },
  )
})

test('a simulation calls nothing', async () => {
  const ctx = operatorContext({ egress: ['loopback'] })
  ctx.connection = async () => ({ kind: 'mcp', url: server.url })
  expect(await operator.simulate?.(ctx, applied(accepted('write'), TEXT))).toMatchObject({ ok: true })
  expect(server.requests).toEqual([])
})

test('what a server says holds for as long as it says, a minute at most, and without that for no time', async () => {
  let asked = 0
  let now = 0
  let ttl_ms = 3_600_000
  const tools = [JSON.parse(JSON.stringify(server.tools.get('write'))) as Json]
  const listTools = async () => {
    asked += 1
    return { tools, ttl_ms }
  }
  const check = createDefinitionCheck({ listTools }, () => now)
  const target = { url: server.url, egress: [], signal: new AbortController().signal }
  const tool = accepted('write')
  for (now of [0, 1, 59_999]) await check(target, tool)
  expect(asked).toBe(1)
  now = 60_001
  ttl_ms = 0
  for (let times = 0; times < 2; times += 1) await check(target, tool)
  expect(asked).toBe(3)
})

test('a list that is kept stops no tool that was accepted since', async () => {
  let tools = [...server.tools.values()] as unknown as Json[]
  const found: unknown[] = []
  const check = createDefinitionCheck({ listTools: async () => ({ tools, ttl_ms: 60_000 }) }, () => 0)
  const target = { url: server.url, egress: [], signal: new AbortController().signal }
  const before = accepted('write')
  const checked = (tool: AcceptedTool) => check(target, tool, async (described) => void found.push(described?.title))
  await checked(before)
  server.redefine('write', { title: 'Write more' })
  tools = [...server.tools.values()] as unknown as Json[]
  await checked(accepted('write'))
  expect(found).toEqual([])
  expect(await failure(checked(before))).toMatchObject({ code: 'plan_changed' })
  server.tools.delete('write')
  tools = [...server.tools.values()] as unknown as Json[]
  expect(await failure(checked(before))).toMatchObject({ code: 'plan_changed' })
  expect(found).toEqual(['Write more', undefined])
})
