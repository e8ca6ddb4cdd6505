import { beforeEach, expect, test } from 'vitest'
import type { ToolDefinition } from '#core/mcp/tool-schema.ts'
import { createMcpToolStore } from '#store/connections/mcp-tools.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { connectionAudit, storeConnection } from '#test/support/stored-connection.ts'

const database = testDatabase()
const store = fileFixture(() => createMcpToolStore(database.db))
const definition: ToolDefinition = { name: 'write', input_schema: { type: 'object' } }
const changed = { ...definition, title: 'Deletes' }
let at: { connection_id: string; address: string }
let digest: string

const tool = () => store.find(at, 'write')
const records = async () => {
  const rows = await database.db`
    select 1 from audit_outbox where draft ->> 'action' = 'connection.tool_changed'
      and draft -> 'subject' ->> 'id' = ${at.connection_id}`
  return rows.length
}
const audit = (action: string) => connectionAudit(action, at.connection_id)
const described = (accepted: string, found: ToolDefinition | undefined) =>
  store.described(at, { name: 'write', accepted, definition: found }, audit('connection.tool_changed'))

beforeEach(async () => {
  await database.db`delete from connections`
  const row = await storeConnection(
    database,
    { kind: 'mcp', auth: 'bearer', config: { url: 'https://tools.example.com/mcp' } },
    { key: 'the key of this test; 32 bytes and more', secret: 'opensesame' },
  )
  at = { connection_id: row.id, address: 'https://tools.example.com/mcp' }
  const found = { address: at.address, tools: [{ name: 'write', definition }] }
  await store.found(row, { ...found, audit: audit('connection.tools_discovered') })
  digest = (await tool())?.definition_digest ?? ''
  const accepted = { name: 'write', digest, effect: 'write' as const, by: 'ann' }
  await store.accept(at, accepted, audit('connection.tool_accepted'))
})

test('a tool that a worker finds changed is changed, and on record once', async () => {
  await described(digest, definition)
  expect([(await tool())?.state, await records()]).toEqual(['accepted', 0])
  for (let times = 0; times < 2; times += 1) await described(digest, changed)
  expect(await tool()).toMatchObject({ state: 'changed', definition: changed, accepted: { digest } })
  expect(await records()).toBe(1)
  for (let times = 0; times < 2; times += 1) await described(digest, undefined)
  expect([(await tool())?.state, await records()]).toEqual(['removed', 2])
  await described(digest, definition)
  expect([(await tool())?.state, await records()]).toEqual(['accepted', 3])
})

test('a worker that compared with an acceptance of before changes nothing', async () => {
  await described(`sha256:${'0'.repeat(64)}`, changed)
  expect([(await tool())?.state, await records()]).toEqual(['accepted', 0])
  await store.withdraw(at, { name: 'write', digest }, audit('connection.tool_withdrawn'))
  await described(digest, changed)
  expect([await tool(), await records()]).toMatchObject([{ state: 'new', definition, accepted: null }, 0])
})

test('an acceptance of another definition is not taken back', async () => {
  const other = { name: 'write', digest: `sha256:${'0'.repeat(64)}` }
  expect(await store.withdraw(at, other, audit('connection.tool_withdrawn'))).toBeUndefined()
  expect((await tool())?.state).toBe('accepted')
})
