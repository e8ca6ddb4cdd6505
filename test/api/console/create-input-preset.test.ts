import { describe, expect, it } from 'vitest'
import { Run } from '#core/run/schema.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { OF, openPresetWorld } from '#test/support/preset-world.ts'
import { itRefuses, likeItsExample } from '#test/support/refused-operation.ts'

itIsGuarded('createInputPreset')
itRefuses('createInputPreset', sharedWorld, [
  [
    404,
    'not_found',
    likeItsExample({ body: { pack: 'incident', template: 'gone', name: 'x', values: { inputs: {} } } }),
  ],
  [
    409,
    'conflict',
    async (world, route) => {
      const twice = await likeItsExample({})(world, route)
      await twice()
      return twice
    },
  ],
])

const world = fileFixture(openPresetWorld)

describe('POST /console/api/input-presets', () => {
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
})
