import { expect, it } from 'vitest'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listEnvironments')

it('lists by name what the caller may know of', async () => {
  const world = await sharedWorld()
  const name = await world.environment()
  const listed = async (who: string) => {
    const answer = await world.api.get('/ui/api/environments', world.as(who))
    const list = (await answer.json()) as { name: string; layers: string[] }[]
    expect(answer.headers.get('x-total-count')).toBe(String(list.length))
    return list
  }
  const all = await listed('owner')
  expect(all.map((each) => each.name)).toEqual(all.map((each) => each.name).toSorted())
  expect(all).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ name, layers: ['console'] }),
      expect.objectContaining({ name: 'development', layers: ['seeded', 'file'] }),
    ]),
  )
  // of the workspace `other`, to which only development is granted
  expect((await listed('stranger')).map((each) => each.name)).toEqual(['development'])
})
