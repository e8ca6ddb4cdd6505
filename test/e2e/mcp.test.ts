import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { z } from 'zod'
import { initialize } from '#test/support/mcp-messages.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const Packs = z.object({ items: z.array(z.object({ pack: z.string(), template: z.string() })) })

let service: TestService
beforeAll(async () => {
  service = await startTestService({
    postgres_url: inject('postgres_url'),
    temporal_address: inject('temporal_address'),
    workers: 0,
    env: { OBS_OPS_MCP: '1' },
  })
})
afterAll(() => service.stop())

test('an agent reads packs and pages of the service as it is shipped', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url)))
  const packs = Packs.parse((await client.callTool({ name: 'listPacks', arguments: {} })).structuredContent)
  expect(packs.items).toContainEqual({ pack: 'sre', template: 'service-recovery' })
  const { resources } = await client.listResources()
  for (const uri of ['svc://packs/sre/service-recovery', 'svc://docs/mcp.md', 'svc://docs/errors/not_found.md']) {
    expect(resources.map((each) => each.uri)).toContain(uri)
    expect((await client.readResource({ uri })).contents).toHaveLength(1)
  }
  await client.close()
})

test('nobody has to sign in, and still no page of another site gets through', async () => {
  const headers = { origin: 'https://evil.example' }
  expect((await service.call('POST', '/mcp', initialize(), headers)).status).toBe(403)
  expect((await service.call('GET', '/mcp')).status).toBe(405)
  expect((await service.call('DELETE', '/mcp')).status).toBe(405)
})
