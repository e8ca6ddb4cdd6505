import { expect, test } from 'vitest'
import { z } from 'zod'
import { Pipeline } from '#core/pipeline/schema.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'
import { parkPipeline } from '#test/support/pipeline-place.ts'

itIsGuarded('getPipeline')

const world = guardWorld()

const read = async (id: string) =>
  z.strictObject(Pipeline.shape).parse(await (await world.api.get(`/pipelines/${id}`, world.as('viewer'))).json())

test('answers the whole record in the documented shape', async () => {
  const id = await world.pipeline('ready')
  expect(await read(id)).toMatchObject({
    id,
    status: 'blocked',
    title: 'By hand',
    total_usd: 0,
    cap_usd: 1,
    steps: [{ id: 'hold', kind: 'run', uses: 'incident/service-recovery', gate: 'manual', state: 'ready', needs: [] }],
    links: { self: `/pipelines/${id}`, stream: `/pipelines/${id}/stream` },
  })
})

test('names the one run of a step and the one gate that waits, and all where there are several', async () => {
  const one = await parkPipeline(world.api, world.as('owner'))
  expect((await read(one.id)).steps[0]).toMatchObject({ run_id: one.runs[0], gate_id: one.gates[0] })
  const two = await parkPipeline(world.api, world.as('owner'), { urls: ['a', 'b'] })
  const [step] = (await read(two.id)).steps
  expect(step).not.toHaveProperty('run_id')
  expect(step).not.toHaveProperty('gate_id')
  expect(step?.runs.map(({ run_id, gate_id, status }) => [run_id, gate_id, status])).toEqual(
    two.runs.map((run, index) => [run, two.gates[index], 'awaiting_approval']),
  )
})

test('a foreign pipeline, an unknown one and nonsense answer with the same bytes', async () => {
  const foreign = await world.pipeline()
  const bodies = await Promise.all(
    [foreign, 'pl_00000000000000000000000000', 'pl_nonsense', 'x'].map(async (id) => {
      const answer = await world.api.get(`/pipelines/${id}`, world.as('stranger'))
      expect(answer.status).toBe(404)
      const { request_id, instance, ...rest } = z.record(z.string(), z.unknown()).parse(await answer.json())
      return JSON.stringify([rest, typeof request_id, typeof instance])
    }),
  )
  expect(new Set(bodies).size).toBe(1)
})

test('a cancelled one says who has ended it, and its steps have ended', async () => {
  const ended = await read(await world.pipeline('ended'))
  expect(ended).toMatchObject({ status: 'cancelled', steps: [{ state: 'cancelled' }] })
  expect(ended).not.toHaveProperty('status_reason')
  expect(ended.ended_at).toBeDefined()
})

test('a compensation that did not succeed stands on the record, and is counted in the health of the workspace', async () => {
  const counted = async () => {
    const answer = await world.api.get('/healthz?verbose', world.as('owner'))
    return z.object({ pipelines: z.record(z.string(), z.number()) }).parse(await answer.json()).pipelines
  }
  const before = await counted()
  const [ended, queued] = [await world.pipeline('ended'), await world.pipeline()]
  expect(await read(ended)).not.toHaveProperty('not_taken_back')
  const error = { code: 'http_status', message: 'POST http://a.test/undo answered 404' }
  const run_id = `run_${ended.slice(3)}`
  await world.api.db`
    insert into pipeline_children (run_id, pipeline_id, step_id, index, role, inputs, status, error, ended_at)
    values (${run_id}, ${ended}, 'hold', 0, 'compensation', '{}', 'failed', ${world.api.db.json(error)}, now())`
  expect(await read(ended)).toMatchObject({
    status: 'cancelled',
    not_taken_back: [{ step: 'hold', index: 0, run_id, status: 'failed', error }],
  })
  expect((await read(queued)).status).toBe('queued')
  await expect
    .poll(counted)
    .toEqual({ ...before, queued: (before['queued'] ?? 0) + 1, not_taken_back: (before['not_taken_back'] ?? 0) + 1 })
})
