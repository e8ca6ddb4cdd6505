import { expect, it } from 'vitest'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'

itIsGuarded('listArtifacts')

const world = guardWorld()

it('is empty for a run that has left nothing behind', async () => {
  const answer = await world.api.get(`/runs/${await world.queuedRun()}/artifacts`, world.as('viewer'))
  expect([answer.status, await answer.json()]).toEqual([200, []])
})
