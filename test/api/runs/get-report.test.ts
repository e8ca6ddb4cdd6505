import { expect, it } from 'vitest'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('getReport')

const world = guardWorld()

it('is 404 for a run that has written none', async () => {
  const answer = await world.api.get(`/runs/${await world.queuedRun()}/report`, world.as('viewer'))
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
})
