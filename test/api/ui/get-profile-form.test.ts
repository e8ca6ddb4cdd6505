import { expect, it } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, unreadable } from '#test/support/refused-operation.ts'

itIsGuarded('getProfileForm')
itRefuses('getProfileForm', sharedWorld, [[409, 'conflict', unreadable]])

it('shows the schema, what the console says to who stands above workspaces, and what counts to everybody', async () => {
  const world = await sharedWorld()
  const name = world.name('form')
  await world.api.post('/ui/api/profiles', { name, limits: { max_usd: 0.5 } }, world.as('owner'))
  const get = async (who: string) => (await world.api.get(`/ui/api/profiles/${name}/form`, world.as(who))).json()
  expect(await get('owner')).toMatchObject({
    schema: { type: 'object', properties: { requires_approval: { type: 'array' }, limits: { type: 'object' } } },
    values: { limits: { max_usd: 0.5 } },
    in_force: { requires_approval: [], limits: { max_usd: 0.5 } },
  })
  expect(await get('viewer')).toMatchObject({ values: {}, in_force: { limits: { max_usd: 0.5 } } })
})
