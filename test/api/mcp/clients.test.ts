import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { execa } from 'execa'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { serveApi } from '#api/server.ts'
import { createIds } from '#platform/ids.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { guardWorld } from '#test/support/guarded-operation.ts'
import { callOf } from '#test/support/mcp-messages.ts'
import { exampleOf } from '#test/support/operation-examples.ts'
import { needs, programOf } from '#test/support/programs/needs.ts'

const PYTHON = fileURLToPath(new URL('../../support/mcp-client.py', import.meta.url))
const PINNED = z
  .array(z.looseObject({ name: z.string() }))
  .parse(JSON.parse(readFileSync(new URL('../../pins/mcp-tools.json', import.meta.url), 'utf8')))
const Seen = z.object({
  tools: z.array(z.looseObject({ name: z.string() })),
  results: z.record(z.string(), z.looseObject({ isError: z.boolean().optional() })),
  resources: z.array(z.string()),
  page: z.string(),
})

let url: URL
let calls: Record<string, Record<string, string | number>>

const world = guardWorld()
const server = fileFixture(() =>
  serveApi(world.api.app, { host: '127.0.0.1', port: 0, ids: createIds(), onDrain: () => {} }),
)
beforeAll(async () => {
  url = new URL('/mcp', server.url)
  calls = Object.fromEntries(
    await Promise.all(PINNED.map(async ({ name }) => [name, await argumentsOf(name)] as const)),
  )
})

/** What the operation answers as it should, as arguments of its tool. */
async function argumentsOf(name: string): Promise<Record<string, string | number>> {
  const { params, query } = await exampleOf(name).request(world)
  const given = { ...params, ...query }
  const numbers = ['limit', 'after_seq'].filter((key) => key in given).map((key) => [key, Number(given[key])] as const)
  return { ...given, ...Object.fromEntries(numbers) }
}

async function connected(headers: Record<string, string>, mode: 'legacy' | 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

describe.each([
  ['legacy', '2025-11-25'],
  ['auto', '2026-07-28'],
] as const)('the official TypeScript client (%s, %s)', (mode, revision) => {
  test('lists the tools as they are pinned, and calls every one', async () => {
    const client = await connected(world.as('viewer'), mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(client.getInstructions()).toContain('Nothing here changes anything')
    expect((await client.listTools()).tools).toEqual(PINNED)
    for (const [name, given] of Object.entries(calls)) {
      const { isError, content } = await client.callTool({ name, arguments: given })
      expect([name, isError ?? false, JSON.stringify(content)]).toEqual([
        name,
        false,
        expect.stringMatching(/"text":"./),
      ])
    }
    expect((await client.listResources()).resources.length).toBeGreaterThan(40)
    expect((await client.readResource({ uri: 'svc://docs/policies.md' })).contents).toHaveLength(1)
    await client.close()
  })
})

describe('the official Python client', needs('mcpclient'), () => {
  test.each(['legacy', 'auto'])('(%s) lists the tools as they are pinned, and calls every one', async (mode) => {
    const { command, env } = programOf('mcpclient')
    const input = JSON.stringify({ url: url.href, headers: world.as('viewer'), mode, calls })
    const { stdout } = await execa(command, [PYTHON], { env, input })
    const seen = Seen.parse(JSON.parse(stdout))
    expect(seen.tools.map(({ name }) => name)).toEqual(PINNED.map(({ name }) => name))
    expect(seen.tools).toEqual(PINNED)
    expect(Object.keys(seen.results)).toEqual(PINNED.map(({ name }) => name))
    expect(Object.entries(seen.results).filter(([, { isError }]) => isError)).toEqual([])
    expect(seen.page).toMatch(/^# /)
  })
})

test('fifty clients with equal ids never get the answer of another', { timeout: 240_000 }, async () => {
  const CLIENTS = 50
  const EACH = Number(process.env['SVC_MCP_CALLS'] ?? 2_000) / CLIENTS
  const runs = await Promise.all(Array.from({ length: CLIENTS }, () => world.queuedRun()))
  const crossed: string[] = []
  let answered = 0
  await Promise.all(
    runs.map(async (run, client) => {
      const owned = client % 2 === 0
      const headers = { 'content-type': 'application/json', ...world.as(owned ? 'viewer' : 'stranger') }
      for (let id = 1; id <= EACH; id++) {
        const response = await fetch(url, {
          method: 'POST',
          headers,
          body: JSON.stringify(callOf('getRun', { id: run }, id)),
        })
        const answer = (await response.json()) as { id: number; result: { structuredContent: Record<string, unknown> } }
        const { id: seen, code } = answer.result.structuredContent
        // half of them are of another workspace, and must never see what the others see
        if (answer.id !== id || (owned ? seen !== run : code !== 'not_found')) crossed.push(JSON.stringify(answer))
        answered += 1
      }
    }),
  )
  expect([answered, crossed]).toEqual([CLIENTS * EACH, []])
})
