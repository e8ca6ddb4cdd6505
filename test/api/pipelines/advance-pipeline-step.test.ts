import { expect, test } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import type { GuardWorld } from '#test/support/guard-world.ts'
import { guardWorld, itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { takeTurn } from '#test/support/pipeline-place.ts'
import { itRefuses, likeItsExample, type Prepare } from '#test/support/refused-operation.ts'

itIsGuarded('advancePipelineStep')

const advancedBefore: Prepare<GuardWorld> = async (place, route) => {
  const id = await place.pipeline('ready')
  await place.api.post(`/pipelines/${id}/steps/hold/advance`, {}, place.as('owner'))
  return likeItsExample({ params: { id, step: 'hold' } })(place, route)
}

itRefuses('advancePipelineStep', sharedWorld, [
  [
    409,
    'needs_approval',
    async (place, route) =>
      likeItsExample({ params: { id: await place.pipeline('parked'), step: 'act' }, body: {} })(place, route),
  ],
  [
    409,
    'conflict',
    async (place, route) => likeItsExample({ params: { id: await place.pipeline(), step: 'hold' } })(place, route),
  ],
  [409, 'conflict', advancedBefore],
  [
    409,
    'conflict',
    async (place, route) =>
      likeItsExample({ params: { id: await place.pipeline('ended'), step: 'hold' } })(place, route),
  ],
  [422, 'validation_failed', likeItsExample({ body: { decision: 'approve' } })],
])

const world = guardWorld()

const advance = (id: string, body?: object) => {
  const path = `/pipelines/${id}/steps/hold/advance`
  if (body !== undefined) return world.api.post(path, body, world.as('owner'))
  return world.api.app.request(path, { method: 'POST', headers: world.as('owner') })
}

test('the body may be left out; the step begins, and the log says who let it', async () => {
  const id = await world.pipeline('ready')
  expect((await advance(id)).status).toBe(202)
  await takeTurn(world.api, id)
  const answer = await world.api.get(`/pipelines/${id}`, world.as('owner'))
  expect(await answer.json()).toMatchObject({
    status: 'running',
    steps: [{ state: 'running', advanced: { by: expect.stringMatching(/^usr_/) } }],
  })
  const records = await world.api.db`
    select draft from audit_outbox where draft #>> '{subject,id}' = ${id} and draft ->> 'action' = 'pipeline.step_advanced'`
  expect(records).toHaveLength(1)
})

test('inputs take the place of those of the step, and its run is given them', async () => {
  const id = await world.pipeline('ready')
  expect((await advance(id, { note: 'other one', inputs: { url: 'y' } })).status).toBe(202)
  await takeTurn(world.api, id)
  const [run] = await world.api.db<{ inputs: object }[]>`select inputs from runs where pipeline_id = ${id}`
  expect(run?.inputs).toMatchObject({ url: 'y' })
})

test('of two that come at once one advances, and the other is told', async () => {
  const id = await world.pipeline('ready')
  const both = await Promise.all([advance(id, {}), advance(id, {})])
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409])
})

test('advancing gives no approval: the gate of a run stays open', async () => {
  const id = await world.pipeline('parked')
  const answer = await world.api.post(`/pipelines/${id}/steps/act/advance`, { note: 'go' }, world.as('owner'))
  expect(await codeOf(answer)).toEqual([409, 'needs_approval'])
  const gates = await world.api.db`
    select g.status from gates g join runs r on r.id = g.run_id where r.pipeline_id = ${id}`
  expect(gates).toEqual([{ status: 'open' }])
})
