import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { type KeptPreset, OF, openPresetWorld } from '#test/support/preset-world.ts'

itIsGuarded('updateConfigPreset')

let preset: KeptPreset

const world = fileFixture(openPresetWorld)
beforeEach(async () => {
  await world.database.db`delete from presets`
  await world.database.db`delete from schedule_firings`
  await world.database.db`update schedules set deleted_at = now(), name = id`
  preset = await world.keep('config', 'careful', { url: 'a' })
})

const patch = (edit: object, headers: Record<string, string> = {}) =>
  world.send('PATCH', `/console/api/config-presets/${preset.id}`, edit, headers)
const kept = async (answer: Response) => (await answer.json()) as KeptPreset

describe('PATCH /console/api/config-presets/{id}', () => {
  it('counts changes of the values, and not of the name, over what was read', async () => {
    const renamed = await kept(await patch({ name: 'slow' }, { 'if-match': preset.etag }))
    expect(renamed).toMatchObject({ name: 'slow', version: 1, digest: preset.digest })
    expect(await codeOf(await patch({ name: 'late' }, { 'if-match': preset.etag }))).toEqual([412, 'version_conflict'])
    const changed = await kept(await patch({ values: { inputs: { url: 'b' } } }, { 'if-match': renamed.etag }))
    expect(changed).toMatchObject({ name: 'slow', version: 2, values: { inputs: { url: 'b' } } })
    expect(await kept(await patch({}))).toMatchObject({ version: 2 })
    const records = await auditOf(world.api, preset.id)
    expect(records.map(({ action }) => action)).toEqual(['preset.created', ...Array(3).fill('preset.updated')])
    expect(records[1]?.data).toMatchObject({ renamed_from: 'careful', name: 'slow' })
    expect(records[2]?.data).toMatchObject({ before: preset.digest, after: changed.digest })
  })

  it('refuses what making one refuses, and a name that is taken', async () => {
    await world.keep('config', 'other', {})
    expect(await codeOf(await patch({ name: 'other' }))).toEqual([409, 'conflict'])
    expect(await codeOf(await patch({ values: { inputs: {}, max_usd: 5 } }))).toEqual([403, 'governance_knob'])
    expect(await codeOf(await patch({ values: { inputs: { url: 5 } } }))).toEqual([422, 'validation_failed'])
    expect(await codeOf(await patch({ is_default: true }))).toEqual([422, 'validation_failed'])
  })

  it('leaves none as the default', async () => {
    await world.send('POST', `/console/api/config-presets/${preset.id}/default`)
    expect(await kept(await patch({ is_default: false }))).toMatchObject({ is_default: false })
  })

  it('keeps the name that a schedule uses, and refuses a schedule whose pinned version is another', async () => {
    const schedule = (more: object) =>
      world.send('POST', '/triggers/scheduled', { ...OF, name: 'nightly', cron: '@daily', ...more })
    const pinned = { config_preset: 'careful', preset_version: 1 }
    expect(await codeOf(await schedule({}))).toEqual([422, 'validation_failed'])
    expect((await schedule(pinned)).status).toBe(201)
    expect(await codeOf(await patch({ name: 'slow' }))).toEqual([409, 'conflict'])
    expect((await patch({ values: { inputs: { url: 'b' } } })).status).toBe(200)
    expect(await codeOf(await schedule({ ...pinned, name: 'again' }))).toEqual([422, 'validation_failed'])
    expect((await schedule({ ...pinned, preset_version: 2, name: 'again' })).status).toBe(201)
  })
})
