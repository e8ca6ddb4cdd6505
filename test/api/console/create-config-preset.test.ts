import { beforeEach, describe, expect, it } from 'vitest'
import { KNOBS } from '#core/preset/knobs.ts'
import { Preset } from '#core/preset/schema.ts'
import { Run } from '#core/run/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { OF, openPresetWorld, refusedValues } from '#test/support/preset-world.ts'

itIsGuarded('createConfigPreset')

const PATH = '/console/api/config-presets'

const world = fileFixture(openPresetWorld)
beforeEach(() => world.database.db`delete from presets`)

const post = (draft: object) => world.send('POST', PATH, { ...OF, name: 'careful', values: { inputs: {} }, ...draft })

describe('POST /console/api/config-presets', () => {
  it('makes what a start can name, between its own inputs and those of the workspace, on record with its digest', async () => {
    await world.configure({ url: 'http://workspace', action: 'restart' })
    const answer = await post({ values: { inputs: { url: 'http://preset', action: 'rollback' } } })
    const preset = Preset.parse(await answer.json())
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${PATH}/${preset.id}`])
    expect(preset).toMatchObject({ kind: 'config', version: 1, is_default: false, author: 'usr_local' })
    const plain = Run.parse(await (await world.start({ inputs: {} })).json())
    expect(plain).toMatchObject({ inputs: { url: 'http://workspace', action: 'restart' } })
    for (const config_preset of ['careful', preset.id]) {
      const started = await world.start({ inputs: { url: 'http://mine' }, config_preset })
      const run = Run.parse(await started.json())
      expect(run).toMatchObject({ config_preset: 'careful', inputs: { url: 'http://mine', action: 'rollback' } })
      const used = { id: preset.id, name: 'careful', version: 1, digest: preset.digest }
      expect(run.provenance).toMatchObject({ config_preset: used, preset_version: 1 })
      expect((await auditOf(world.api, run.id))[0]).toMatchObject({ data: { config_preset: used } })
    }
    expect(await auditOf(world.api, preset.id)).toMatchObject([
      { action: 'preset.created', data: { kind: 'config', name: 'careful', before: null, after: preset.digest } },
    ])
  })

  it('is refused to a start that names one which is not there, or is of another template', async () => {
    await world.database.db`
      insert into presets (id, workspace_id, kind, pack, template, name, inputs, author)
      values ('pre_x', 'ws_00000000000000000000000000', 'config', 'incident', 'other', 'elsewhere', '{}', 'usr_ann')`
    await world.keep('input', 'typed', { url: 'x' })
    for (const config_preset of ['nothing', 'elsewhere', 'typed'])
      expect(await refusedValues(await world.start({ inputs: { url: 'x' }, config_preset }))).toEqual([
        ...[422, 'validation_failed'],
        ['/config_preset'],
      ])
  })

  it('refuses what governs, secrets, and what the template does not take', async () => {
    for (const knob of KNOBS)
      expect(await codeOf(await post({ values: { inputs: {}, [knob]: true } }))).toEqual([403, 'governance_knob'])
    const secret = { inputs: { login: { password: 'hunter2' } } }
    expect(await codeOf(await post({ values: secret }))).toEqual([403, 'governance_knob'])
    expect(await codeOf(await post({ values: { inputs: { action: 'x' } } }))).toEqual([422, 'validation_failed'])
    expect(await codeOf(await post({ template: 'nowhere' }))).toEqual([404, 'not_found'])
    for (const name of ['', ' ', 'pre_x', 'a\nb', 'x'.repeat(101), 'careful\u200b', 'care\u00adful', '\u061ccareful'])
      expect(await codeOf(await post({ name }))).toEqual([422, 'validation_failed'])
    expect(await world.database.db`select from presets`).toHaveLength(0)
  })

  it('takes a name for the same however its letters are composed', async () => {
    expect((await post({ name: 'cafe\u0301' })).status).toBe(201)
    expect(await codeOf(await post({ name: 'caf\u00e9' }))).toEqual([409, 'conflict'])
    const started = await world.start({ inputs: { url: 'x' }, config_preset: 'cafe\u0301' })
    expect(Run.parse(await started.json()).config_preset).toBe('caf\u00e9')
  })

  it('takes a name once among those of its kind and template, and two hundred of them', async () => {
    expect((await post({})).status).toBe(201)
    expect(await codeOf(await post({}))).toEqual([409, 'conflict'])
    expect((await world.keep('input', 'careful', {})).name).toBe('careful')
    await world.database.db`
      insert into presets (id, workspace_id, kind, pack, template, name, inputs, author)
      select 'pre_' || n, 'ws_00000000000000000000000000', 'config', 'a', 'b', n::text, '{}', 'usr_ann'
      from generate_series(1, 198) n`
    const together = await Promise.all(['one', 'two', 'three', 'four'].map((name) => post({ name })))
    expect(together.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(await world.database.db`select from presets where kind = 'config'`).toHaveLength(200)
  })
})
