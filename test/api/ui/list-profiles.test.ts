import { expect, it } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listProfiles')

it('lists by name, and names no environment that the caller may not know of', async () => {
  const world = await sharedWorld()
  const name = world.name('profile')
  const body = { name, environment: 'production', requires_approval: ['service.restart'] }
  await world.api.post('/ui/api/profiles', body, world.as('owner'))
  const found = async (who: string) => {
    const list = (await (await world.api.get('/ui/api/profiles', world.as(who))).json()) as { name: string }[]
    return list.find((each) => each.name === name)
  }
  expect(await found('viewer')).toMatchObject({ environment: 'production', requires_approval: ['service.restart'] })
  expect(await found('stranger')).not.toHaveProperty('environment')
})
