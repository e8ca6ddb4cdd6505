import { expect, test } from 'vitest'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { startPipeline, takeTurn, takeTurnBeside } from '#test/support/pipeline-place.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('cancelPipeline')
itRefuses('cancelPipeline', sharedWorld, [
  [
    409,
    'run_terminal',
    async (place, route) => likeItsExample({ params: { id: await place.pipeline('ended') } })(place, route),
  ],
])

const world = guardWorld()

test('the body may be left out; of one whose run waits at a gate the gate is closed', async () => {
  const id = await world.pipeline('parked')
  const path = `/pipelines/${id}/cancel`
  const answer = await world.api.app.request(path, { method: 'POST', headers: world.as('operator') })
  expect(answer.status).toBe(202)
  expect(await answer.json()).toMatchObject({ status: 'blocked', status_reason: 'cancelling' })
  // it has its runs cancelled, then learns how they have ended
  await takeTurn(world.api, id)
  await takeTurn(world.api, id)
  const gates = await world.api.db`
    select g.status, r.status as run from gates g join runs r on r.id = g.run_id where r.pipeline_id = ${id}`
  expect(gates).toEqual([{ status: 'cancelled', run: 'cancelled' }])
  const ended = await world.api.get(`/pipelines/${id}`, world.as('owner'))
  expect(await ended.json()).toMatchObject({ status: 'cancelled', steps: [{ state: 'cancelled' }] })
})

test('asking again changes nothing, and is on record once', async () => {
  const id = await world.pipeline()
  for (const reason of ['mistake', 'again'])
    expect((await world.api.post(`/pipelines/${id}/cancel`, { reason }, world.as('owner'))).status).toBe(202)
  const records = await world.api.db<{ reason: string }[]>`
    select draft #>> '{data,reason}' as reason from audit_outbox
    where draft #>> '{subject,id}' = ${id} and draft ->> 'action' = 'pipeline.cancel_requested'`
  expect(records).toEqual([{ reason: 'mistake' }])
})

test('looked at beside its workflow, that is told of a time before those that it knows, and of the end, and of nothing else', async () => {
  const id = await startPipeline(world.api, 'later', world.as('operator'))
  // its first step is a timer, and nothing was due before
  expect(await takeTurnBeside(world.api, id)).toBe(true)
  expect(await takeTurnBeside(world.api, id)).toBe(false)
  await world.api.post(`/pipelines/${id}/cancel`, {}, world.as('owner'))
  expect(await takeTurnBeside(world.api, id)).toBe(true)
  expect(await (await world.api.get(`/pipelines/${id}`, world.as('owner'))).json()).toMatchObject({
    status: 'cancelled',
  })
})
