import { expect, test } from 'vitest'
import { Pipeline } from '#core/pipeline/schema.ts'
import { guardWorld } from '#test/support/guarded-operation.ts'
import { startPipeline, takeTurn } from '#test/support/pipeline-place.ts'

const world = guardWorld()

async function halt(): Promise<string> {
  const body = { scope: { template: 'incident/service-recovery' }, reason: 'a drill' }
  const set = await world.api.post('/console/api/halts', body, world.as('owner'))
  return ((await set.json()) as { id: string }).id
}

async function lift(id: string): Promise<void> {
  await world.api.app.request(`/console/api/halts/${id}`, { method: 'DELETE', headers: world.as('owner') })
}

/** Tries what is held back once more, as if some minutes had passed. */
async function tryLater(id: string): Promise<void> {
  await world.api.db`update pipeline_children set not_before = null where pipeline_id = ${id}`
  await world.api.db`update refusals set reported_at = reported_at - interval '5 minutes' where who = ${id}`
  await takeTurn(world.api, id)
}

const records = async (id: string) =>
  (
    await world.api.db<{ data: object }[]>`
      select draft -> 'data' as data from audit_outbox
      where draft ->> 'action' = 'run.halted' and draft #>> '{actor,id}' = ${id} order by id`
  ).map(({ data }) => data)

test('a run that is held back has one record of each halt, however often it is tried', async () => {
  const id = await startPipeline(world.api, 'approval', world.as('owner'), { inputs: { urls: ['a', 'b', 'c'] } })
  const first = await halt()
  await takeTurn(world.api, id)
  for (let n = 0; n < 3; n += 1) await tryLater(id)
  const of = (halt_id: string, entry: number) => expect.objectContaining({ step: 'act', entry, halt_id, times: 1 })
  const each = (halt_id: string) => [0, 1, 2].map((entry) => of(halt_id, entry))
  expect(await records(id)).toEqual(each(first))
  const second = await halt()
  await lift(first)
  for (let n = 0; n < 3; n += 1) await tryLater(id)
  expect(await records(id)).toEqual([...each(first), ...each(second)])
  const waiting = await world.api.db`select from refusals where who = ${id} and refused > reported`
  expect(waiting, 'nothing is left to be told later').toHaveLength(0)
  const other = await startPipeline(world.api, 'once', world.as('owner'))
  await takeTurn(world.api, other)
  expect(await records(other)).toEqual([expect.objectContaining({ step: 'act', halt_id: second, times: 1 })])
  await lift(second)
})

test('a run that was held back until the end says what happened to it, and leads nowhere', async () => {
  const id = await startPipeline(world.api, 'once', world.as('owner'))
  const halt_id = await halt()
  await takeTurn(world.api, id)
  expect((await world.api.post(`/pipelines/${id}/cancel`, {}, world.as('owner'))).status).toBe(202)
  await takeTurn(world.api, id)
  await lift(halt_id)
  const answer = await world.api.get(`/pipelines/${id}`, world.as('viewer'))
  const { status, steps } = Pipeline.parse(await answer.json())
  const error = { code: 'cancelled', message: expect.stringContaining('never began'), step: 'act' }
  expect(status).toBe('cancelled')
  expect(steps).toMatchObject([{ state: 'cancelled', error, runs: [{ status: 'refused', error }] }])
  expect(steps[0]).not.toHaveProperty('run_id')
  expect(steps[0]?.error).not.toHaveProperty('run_id')
  const run = await world.api.get(`/runs/${steps[0]?.runs[0]?.run_id}`, world.as('viewer'))
  expect(run.status).toBe(404)
  const events = await world.api.get(`/pipelines/${id}/events`, world.as('viewer'))
  expect(await events.json()).toMatchObject({
    events: expect.arrayContaining([expect.objectContaining({ type: 'run.refused', step: 'act' })]),
  })
})
