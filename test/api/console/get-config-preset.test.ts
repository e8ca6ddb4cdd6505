import { expect, it } from 'vitest'
import { Preset } from '#core/preset/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openPresetWorld, PRESETS_SCHEMA } from '#test/support/preset-world.ts'

itIsGuarded('getConfigPreset')

const world = fileFixture(openPresetWorld)

it('is as it was kept, with what does not fit the template any more', async () => {
  const { id, etag } = await world.keep('config', 'mine', { url: 'a', action: 'rollback' })
  const read = async () => {
    const answer = await world.send('GET', `/console/api/config-presets/${id}`)
    expect(answer.headers.get('etag')).toBe(etag)
    return Preset.parse(await answer.json())
  }
  expect(await read()).toMatchObject({ values: { inputs: { url: 'a', action: 'rollback' } }, problems: [], etag })
  world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string' } } })
  expect((await read()).problems.map(({ pointer }) => pointer)).toEqual(['/inputs/action'])
})
