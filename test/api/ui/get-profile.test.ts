import { expect, it } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, unreadable } from '#test/support/refused-operation.ts'

itIsGuarded('getProfile')
itRefuses('getProfile', sharedWorld, [[409, 'conflict', unreadable]])

it('shows what counts to everybody, and what is said to who stands above workspaces', async () => {
  const world = await sharedWorld()
  const name = await world.profile()
  const get = async (who: string) => (await world.api.get(`/ui/api/profiles/${name}`, world.as(who))).json()
  expect(await get('owner')).toMatchObject({ name, layers: ['console'], document: expect.stringContaining(name) })
  const seen = await get('viewer')
  expect(seen).toMatchObject({ name, requires_approval: [] })
  expect(seen).not.toHaveProperty('document')
})
