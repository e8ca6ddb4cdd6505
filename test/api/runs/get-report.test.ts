import { beforeAll, expect, it } from 'vitest'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('getReport')

let world: GuardWorld
beforeAll(async () => {
  world = await sharedWorld()
})

it('is 404 for a run that has written none', async () => {
  const answer = await world.api.get(`/runs/${await world.queuedRun()}/report`, world.as('viewer'))
  expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
})
