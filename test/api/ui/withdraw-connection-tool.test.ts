import { expect, test } from 'vitest'
import type { McpToolRecord } from '#core/mcp/record-schema.ts'
import { auditOf } from '#test/support/authoring.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('withdrawConnectionTool')
itRefuses('withdrawConnectionTool', sharedWorld, [
  [
    409,
    'conflict',
    async (world, route) =>
      await likeItsExample({ params: { id: (await world.toolServer()).id, name: 'write' } })(world, route),
  ],
])

const world = guardWorld()

test('what was accepted is taken back, which is on record, and it can be accepted again', async () => {
  const { id, digest: definition_digest } = await world.toolServer()
  const sent = async (path: string, body: object = {}) => {
    const answer = await world.api.post(`/ui/api/connections/${id}/tools/write/${path}`, body, world.as('owner'))
    return (await answer.json()) as McpToolRecord
  }
  await sent('accept', { definition_digest })
  const withdrawn = await sent('withdraw')
  expect(withdrawn).toMatchObject({ state: 'new', definition_digest })
  expect(withdrawn.accepted).toBeUndefined()
  expect((await auditOf(world.api, id)).at(-1)).toMatchObject({
    ...{ action: 'connection.tool_withdrawn', data: { tool: 'write', digest: definition_digest } },
  })
  expect(await sent('accept', { definition_digest })).toMatchObject({ state: 'accepted' })
})
