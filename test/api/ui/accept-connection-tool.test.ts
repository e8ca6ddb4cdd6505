import { expect, test } from 'vitest'
import type { McpToolRecord } from '#core/mcp/record-schema.ts'
import { auditOf } from '#test/support/authoring.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

const ANOTHER = `sha256:${'0'.repeat(64)}`

itIsGuarded('acceptConnectionTool')
itRefuses('acceptConnectionTool', sharedWorld, [
  [409, 'conflict', likeItsExample({ body: { definition_digest: ANOTHER } })],
])

const world = guardWorld()

test('a tool is accepted by its digest, as a write unless a person says otherwise, and that is on record', async () => {
  const { id, digest: definition_digest } = await world.toolServer()
  const accept = async (body: object) => {
    const answer = await world.api.post(`/ui/api/connections/${id}/tools/write/accept`, body, world.as('owner'))
    return (await answer.json()) as McpToolRecord
  }
  const first = await accept({ definition_digest })
  expect(first).toMatchObject({ state: 'accepted', accepted: { definition_digest, effect: 'write' } })
  expect(await accept({ definition_digest, effect: 'read' })).toMatchObject({ accepted: { effect: 'read' } })
  const data = { tool: 'write', digest: definition_digest }
  expect((await auditOf(world.api, id)).filter(({ action }) => action === 'connection.tool_accepted')).toMatchObject([
    { data: { ...data, effect: 'write', before: null } },
    { data: { ...data, effect: 'read', before: definition_digest } },
  ])
})
