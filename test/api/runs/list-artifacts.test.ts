import { beforeAll, expect, it } from 'vitest'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'

itIsGuarded('listArtifacts')

let world: GuardWorld
beforeAll(async () => {
  world = await sharedWorld()
})

it('is empty for a run that has left nothing behind', async () => {
  const answer = await world.api.get(`/runs/${await world.queuedRun()}/artifacts`, world.as('viewer'))
  expect([answer.status, await answer.json()]).toEqual([200, []])
})
