import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteConsoleTrigger')
itRefuses('deleteConsoleTrigger', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

it('takes the rule that was read', async () => {
  const world = await sharedWorld()
  const name = await world.rule()
  const owner = { ...world.as('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const remove = (headers: Record<string, string> = {}) =>
    world.api.app.request(`/ui/api/triggers/${name}`, { method: 'DELETE', headers: { ...owner, ...headers } })
  expect(await codeOf(await remove({ 'if-match': '"another"' }))).toEqual([412, 'version_conflict'])
  expect((await remove()).status).toBe(204)
  expect((await world.api.get(`/ui/api/triggers/${name}`, owner)).status).toBe(404)
  const records = await auditOf(world.api, `console/${DEFAULT_WORKSPACE_ID}/rules/${name}`)
  expect(records.at(-1)).toMatchObject({ action: 'rule.deleted', data: { after: null } })
})
