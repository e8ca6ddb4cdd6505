import { expect, it } from 'vitest'
import { auditOf } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteProfile')
itRefuses('deleteProfile', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

it('takes back what the console says, and names what may be laxer without it', async () => {
  const world = await sharedWorld()
  const name = world.name('strict')
  const owner = world.as('owner')
  await world.api.post('/ui/api/profiles', { name, require_plan_hash: true }, owner)
  const gone = await world.api.app.request(`/ui/api/profiles/${name}`, { method: 'DELETE', headers: owner })
  expect(await gone.json()).toEqual({ name, layers: [], loosens: ['require_plan_hash'] })
  expect((await world.api.get(`/ui/api/profiles/${name}`, owner)).status).toBe(404)
  const records = await auditOf(world.api, `console/profiles/${name}`)
  expect(records.at(-1)).toMatchObject({ action: 'profile.deleted', data: { loosens: ['require_plan_hash'] } })
})
