import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { GOVERNING_NAMES } from '#core/preset/governing-names.ts'
import { Preset } from '#core/preset/schema.ts'
import { Run } from '#core/run/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { type KeptPreset, OF, openPresetWorld, PRESETS_SCHEMA, refusedValues } from '#test/support/preset-world.ts'
import { addWorkspace } from '#test/support/tenants.ts'

const PATH = '/console/api/config-presets'
const OTHER = 'ws_0000000000000000000000000b'

const world = fileFixture(async (postgresUrl) => {
  const opened = await openPresetWorld(postgresUrl)
  await addWorkspace(opened.database, OTHER, 'other')
  return opened
})
beforeEach(async () => {
  await world.database.db`delete from presets`
  await world.database.db`delete from schedule_firings`
  await world.database.db`update schedules set deleted_at = now(), name = id`
  world.takes(PRESETS_SCHEMA)
})

describe.each(['config', 'input'] as const)('a preset of kind %s', (kind) => {
  const path = `/console/api/${kind}-presets`
  const makeDefault = ({ id }: KeptPreset, headers: Record<string, string> = {}) =>
    world.send('POST', `${path}/${id}/default`, undefined, headers)
  async function defaults(): Promise<string[]> {
    const all = (await (await world.send('GET', path)).json()) as KeptPreset[]
    return all.filter(({ is_default }) => is_default).map(({ name }) => name)
  }

  it('is as it was kept, with what does not fit the template any more', async () => {
    const { id, etag } = await world.keep(kind, 'mine', { url: 'a', action: 'rollback' })
    const read = async () => {
      const answer = await world.send('GET', `${path}/${id}`)
      expect(answer.headers.get('etag')).toBe(etag)
      return Preset.parse(await answer.json())
    }
    expect(await read()).toMatchObject({ values: { inputs: { url: 'a', action: 'rollback' } }, problems: [], etag })
    world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string' } } })
    expect((await read()).problems.map(({ pointer }) => pointer)).toEqual(['/inputs/action'])
  })

  it('does not show what has become secret since it was kept', async () => {
    const { id } = await world.keep(kind, 'with a key', { url: 'hunter2', action: 'rollback' })
    world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string', writeOnly: true }, action: {} } })
    for (const at of [`/${id}`, '']) {
      const text = await (await world.send('GET', `${path}${at}`)).text()
      expect(text).not.toContain('hunter2')
      expect(text).toContain('rollback')
    }
    const { problems } = Preset.parse(await (await world.send('GET', `${path}/${id}`)).json())
    expect(problems).toEqual([{ pointer: '/inputs/url', msg: expect.stringContaining('secret') }])
  })

  it('lists those of the workspace and of this kind by name, and narrows to a template', async () => {
    for (const name of ['b', 'a']) await world.keep(kind, name, { url: name })
    await world.keep(kind === 'config' ? 'input' : 'config', 'of another kind', {})
    const read = async (query = '', headers = {}) => {
      const answer = await world.send('GET', `${path}${query}`, undefined, headers)
      const names = z
        .array(Preset)
        .parse(await answer.json())
        .map(({ name }) => name)
      expect(answer.headers.get('x-total-count')).toBe(String(names.length))
      return names
    }
    expect(await read()).toEqual(['a', 'b'])
    expect(await read('?pack=incident&template=service-recovery')).toEqual(['a', 'b'])
    expect(await read('?template=other')).toEqual([])
    expect(await read('', { 'x-svc-workspace': OTHER })).toEqual([])
  })

  it('is deleted on record with its kind and its name', async () => {
    const { id } = await world.keep(kind, 'mine', { url: 'a' })
    expect((await world.send('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await auditOf(world.api, id)).at(-1)).toMatchObject({
      ...{ action: 'preset.deleted', data: { kind, name: 'mine' } },
    })
  })

  it('there is one default at a time, no matter who is fastest', async () => {
    const [fast, slow] = [
      await world.keep(kind, 'fast', { url: 'fast' }),
      await world.keep(kind, 'slow', { url: 'slow' }),
    ]
    expect(await defaults()).toEqual([])
    expect(await (await makeDefault(fast)).json()).toMatchObject({ is_default: true, version: 1 })
    expect((await makeDefault(slow)).status).toBe(200)
    expect(await defaults()).toEqual(['slow'])
    expect(await codeOf(await makeDefault(fast, { 'if-match': '"old"' }))).toEqual([412, 'version_conflict'])
    const statuses = (await Promise.all([fast, slow, fast, slow].map((each) => makeDefault(each)))).map(
      ({ status }) => status,
    )
    expect(statuses.every((status) => [200, 409].includes(status))).toBe(true)
    expect(await defaults()).toHaveLength(1)
    expect((await auditOf(world.api, slow.id))[1]).toMatchObject({
      action: 'preset.updated',
      data: { is_default: true },
    })
  })
})

const post = (draft: object) => world.send('POST', PATH, { ...OF, name: 'careful', values: { inputs: {} }, ...draft })

describe('a config preset', () => {
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
    for (const knob of GOVERNING_NAMES)
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

  it('is what starts that name none begin with', async () => {
    const preset = await world.keep('config', 'usual', { url: 'http://usual' })
    await world.send('POST', `${PATH}/${preset.id}/default`)
    const started = await world.start({ inputs: {} })
    expect([started.status, await started.json()]).toMatchObject([
      202,
      { config_preset: 'usual', inputs: { url: 'http://usual' }, provenance: { config_preset: { id: preset.id } } },
    ])
  })

  it('stays while a schedule uses it', async () => {
    const { id } = await world.keep('config', 'pinned', { url: 'a' })
    const draft = { ...OF, name: 'nightly', cron: '@daily', config_preset: id }
    expect((await world.send('POST', '/triggers/scheduled', draft)).status).toBe(201)
    const refused = await world.send('DELETE', `${PATH}/${id}`)
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'conflict', schedules: ['nightly'] }])
  })

  it('leaves no schedule without what it pins, also when both happen at once', async () => {
    const rounds = Array.from({ length: 12 }, (_, round) => round)
    for (const round of rounds) {
      const { id } = await world.keep('config', `raced ${round}`, { url: 'a' })
      const draft = {
        ...OF,
        name: `raced-${round}`,
        cron: '@daily',
        config_preset: `raced ${round}`,
        preset_version: 1,
      }
      const [made, gone] = await Promise.all([
        world.send('POST', '/triggers/scheduled', draft),
        world.send('DELETE', `${PATH}/${id}`),
      ])
      expect([
        [201, 409],
        [422, 204],
      ]).toContainEqual([made.status, gone.status])
    }
  })
})

describe('a config preset that is changed', () => {
  let preset: KeptPreset
  beforeEach(async () => {
    preset = await world.keep('config', 'careful', { url: 'a' })
  })
  const patch = (edit: object, headers: Record<string, string> = {}) =>
    world.send('PATCH', `${PATH}/${preset.id}`, edit, headers)
  const kept = async (answer: Response) => (await answer.json()) as KeptPreset

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
    await world.send('POST', `${PATH}/${preset.id}/default`)
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

describe('an input preset', () => {
  it('keeps what somebody typed, and no start knows of it', async () => {
    const preset = await world.keep('input', 'mine', { url: 'http://kept', action: 'rollback' })
    const made = await world.send('POST', `/console/api/input-presets/${preset.id}/default`)
    expect(made.status).toBe(200)
    const run = Run.parse(await (await world.start({ inputs: { url: 'http://typed' } })).json())
    expect(run.inputs).toEqual({ url: 'http://typed', action: 'restart' })
    expect(run.config_preset).toBeUndefined()
    expect(run.provenance).not.toHaveProperty('config_preset')
  })

  it('keeps no secret and nothing that governs', async () => {
    const post = (values: object) => world.send('POST', '/console/api/input-presets', { ...OF, name: 'x', values })
    for (const values of [{ inputs: { login: { password: 'hunter2' } } }, { inputs: {}, environment: 'production' }])
      expect(await codeOf(await post(values))).toEqual([403, 'governance_knob'])
    expect(JSON.stringify(await world.database.db`select * from presets`)).not.toContain('hunter2')
  })

  it('changes what is kept, of its own kind alone', async () => {
    const preset = await world.keep('input', 'mine', { url: 'a' })
    const patch = (kind: string, edit: object) => world.send('PATCH', `/console/api/${kind}-presets/${preset.id}`, edit)
    expect(await codeOf(await patch('config', { name: 'other' }))).toEqual([404, 'not_found'])
    const changed = await patch('input', { values: { inputs: { action: 'rollback' } } })
    expect(await changed.json()).toMatchObject({ version: 2, values: { inputs: { action: 'rollback' } } })
    const secret = { inputs: { login: { password: 'hunter2' } } }
    expect(await codeOf(await patch('input', { values: secret }))).toEqual([403, 'governance_knob'])
  })
})
