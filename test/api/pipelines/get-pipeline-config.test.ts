import { expect, test } from 'vitest'
import { PipelineConfig } from '#core/pipeline/config-schema.ts'
import { guardWorld, itIsGuarded } from '#test/support/guarded-operation.ts'
import { startPipeline, takeTurn } from '#test/support/pipeline-place.ts'

itIsGuarded('getPipelineConfig')

const world = guardWorld()

const config = async (id: string, query = '') =>
  PipelineConfig.parse(await (await world.api.get(`/pipelines/${id}/config${query}`, world.as('viewer'))).json())
const layerOf = (list: PipelineConfig['inputs'], name: string) => list.find((each) => each.name === name)

test('says of each setting whether the start, the bundle or something else gives it', async () => {
  const plain = await config(await startPipeline(world.api, 'approval', world.as('owner')))
  expect(plain.inputs).toEqual([{ name: 'urls', value: ['x'], layer: 'bundle' }])
  expect(Object.fromEntries(plain.settings.map(({ name, layer }) => [name, layer]))).toEqual({
    bundle_path: 'request',
    bundle_digest: 'bundle',
    pipeline_name: 'request',
    environment: 'workspace',
    profile: 'default',
    cap_usd: 'default',
  })
  const more = { inputs: { urls: ['y'] }, environment: 'development' }
  const asked = await config(await startPipeline(world.api, 'approval', world.as('owner'), more))
  expect(asked.inputs).toEqual([{ name: 'urls', value: ['y'], layer: 'request' }])
  expect(layerOf(asked.settings, 'environment')).toEqual({
    name: 'environment',
    value: 'development',
    layer: 'request',
  })
})

test('what is not known yet is shown as it is written', async () => {
  const { steps } = await config(await startPipeline(world.api, 'later', world.as('owner')))
  const act = steps.find(({ id }) => id === 'act')
  expect(layerOf(act?.inputs ?? [], 'at')).toEqual({
    name: 'at',
    written: `\${{ steps.night.outputs.fired_at }}`,
    layer: 'step',
  })
  expect(act?.template).toMatchObject({ name: 'incident/service-recovery', changed: false })
  expect(steps[0]?.settings).toContainEqual({
    name: 'schedule',
    value: { cron: '0 2 1 1 *', timezone: 'UTC' },
    layer: 'bundle',
  })
})

test('a step that was advanced says what it was given in the place of its own', async () => {
  const id = await world.pipeline('ready')
  await world.api.post(`/pipelines/${id}/steps/hold/advance`, { inputs: { url: 'y' } }, world.as('owner'))
  expect((await config(id)).steps[0]?.inputs).toContainEqual({ name: 'url', value: 'y', layer: 'advance' })
  await takeTurn(world.api, id)
  expect((await config(id)).steps[0]?.inputs).toContainEqual({ name: 'url', value: 'y', layer: 'advance' })
})

test('of a step that has begun, what its run was given, no matter what the workspace says now', async () => {
  const of = { pack: 'incident', template: 'service-recovery' }
  const put = (inputs: object) =>
    world.api.app.request(`/console/api/workflows/${of.pack}/${of.template}/config`, {
      method: 'PUT',
      headers: { ...world.as('owner'), 'content-type': 'application/json' },
      body: JSON.stringify({ values: { inputs } }),
    })
  expect((await put({ region: 'north' })).status).toBe(200)
  const id = await startPipeline(world.api, 'approval', world.as('owner'))
  expect((await config(id)).steps[0]?.inputs).toContainEqual({ name: 'region', value: 'north', layer: 'workflow' })
  await takeTurn(world.api, id)
  expect((await config(id)).steps[0]?.inputs).toContainEqual({ name: 'region', value: 'north', layer: 'workflow' })
  expect((await put({ region: 'south' })).status).toBe(200)
  const { inputs } = (await config(id)).steps[0] ?? { inputs: [] }
  expect(layerOf(inputs, 'region')).toEqual({ name: 'region', value: 'north', layer: 'changed' })
  expect(layerOf(inputs, 'url')).toEqual({ name: 'url', value: 'x', layer: 'step', written: `\${{ item }}` })
})

test('of a list it says which entry it shows, and of how many, and shows any other', async () => {
  const urls = ['a', 'b', 'c', 'd']
  const id = await startPipeline(world.api, 'approval', world.as('owner'), { inputs: { urls } })
  const shown = async (query?: string) => {
    const [step] = (await config(id, query)).steps
    return [step?.entry, layerOf(step?.inputs ?? [], 'url')?.value]
  }
  for (const turn of [async () => undefined, () => takeTurn(world.api, id)]) {
    await turn()
    expect(await shown()).toEqual([{ index: 0, count: 4 }, 'a'])
    expect(await shown('?entry=2')).toEqual([{ index: 2, count: 4 }, 'c'])
    // three are under way at once, and of the last it is what it would be given
    expect(await shown('?entry=3')).toEqual([{ index: 3, count: 4 }, 'd'])
    expect(await shown('?entry=4')).toEqual([{ index: 4, count: 4 }, undefined])
  }
  const plain = await config(await startPipeline(world.api, 'once', world.as('owner')), '?entry=3')
  expect(plain.steps[0]).not.toHaveProperty('entry')
  expect(layerOf(plain.steps[0]?.inputs ?? [], 'url')?.value).toBe('x')
  expect((await world.api.get(`/pipelines/${id}/config?entry=1000`, world.as('viewer'))).status).toBe(422)
})
