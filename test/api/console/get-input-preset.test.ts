import { expect, it } from 'vitest'
import { Preset } from '#core/preset/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openPresetWorld, PRESETS_SCHEMA } from '#test/support/preset-world.ts'

itIsGuarded('getInputPreset')

const world = fileFixture(openPresetWorld)

it('is as it was kept, with what does not fit the template any more', async () => {
  const { id, etag } = await world.keep('input', 'mine', { url: 'a', action: 'rollback' })
  const read = async () => {
    const answer = await world.send('GET', `/console/api/input-presets/${id}`)
    expect(answer.headers.get('etag')).toBe(etag)
    return Preset.parse(await answer.json())
  }
  expect(await read()).toMatchObject({ values: { inputs: { url: 'a', action: 'rollback' } }, problems: [], etag })
  world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string' } } })
  expect((await read()).problems.map(({ pointer }) => pointer)).toEqual(['/inputs/action'])
})

it('does not show what has become secret since it was kept', async () => {
  world.takes(PRESETS_SCHEMA)
  const { id } = await world.keep('input', 'with a key', { url: 'hunter2', action: 'rollback' })
  world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string', writeOnly: true }, action: {} } })
  for (const path of [`/${id}`, '']) {
    const text = await (await world.send('GET', `/console/api/input-presets${path}`)).text()
    expect(text).not.toContain('hunter2')
    expect(text).toContain('rollback')
  }
  const { problems } = Preset.parse(await (await world.send('GET', `/console/api/input-presets/${id}`)).json())
  expect(problems).toEqual([{ pointer: '/inputs/url', msg: expect.stringContaining('secret') }])
})
