import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Preset } from '#core/preset/schema.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openPresetDesk, PRESETS_SCHEMA, type PresetDesk } from '#test/support/preset-desk.ts'

itIsGuarded('getConfigPreset')

let desk: PresetDesk

beforeAll(async () => {
  desk = await openPresetDesk(inject('postgres_url'))
})
afterAll(() => desk?.close())

it('is as it was kept, with what does not fit the template any more', async () => {
  const { id, etag } = await desk.keep('config', 'mine', { url: 'a', action: 'rollback' })
  const read = async () => {
    const answer = await desk.send('GET', `/console/api/config-presets/${id}`)
    expect(answer.headers.get('etag')).toBe(etag)
    return Preset.parse(await answer.json())
  }
  expect(await read()).toMatchObject({ values: { inputs: { url: 'a', action: 'rollback' } }, problems: [], etag })
  desk.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string' } } })
  expect((await read()).problems.map(({ pointer }) => pointer)).toEqual(['/inputs/action'])
})
