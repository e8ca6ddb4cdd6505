import { describe, expect, it } from 'vitest'
import { WorkflowConfig } from '#core/preset/schema.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { openPresetWorld, PRESETS_SCHEMA } from '#test/support/preset-world.ts'

itIsGuarded('getWorkflowConfig')

const PATH = '/console/api/workflows/incident/service-recovery/config'

const world = fileFixture(openPresetWorld)

describe('GET /console/api/workflows/{pack}/{tpl}/config', () => {
  it('says what can be set, requires none of it, and names what is refused', async () => {
    const config = WorkflowConfig.parse(await (await world.send('GET', PATH)).json())
    expect(config).toMatchObject({ values: { inputs: {} }, version: 0, etag: '"0"', problems: [] })
    const inputs = (config.surface['properties'] as { inputs: { required?: unknown; properties: object } }).inputs
    expect(Object.keys(inputs.properties)).toEqual(['url', 'action'])
    expect(inputs.required).toBeUndefined()
    expect(config.protected).toEqual(
      expect.arrayContaining(['/environment', '/requires_approval', '/cap_usd', '/policies', '/inputs/login/password']),
    )
  })

  it('says what does not fit the template any more', async () => {
    await world.configure({ action: 'rollback' })
    world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string' }, action: { enum: ['restart'] } } })
    const config = WorkflowConfig.parse(await (await world.send('GET', PATH)).json())
    expect(config).toMatchObject({ values: { inputs: { action: 'rollback' } }, version: 1 })
    expect(config.problems).toEqual([{ pointer: '/inputs/action', msg: expect.stringContaining('"restart"') }])
  })

  it('does not show what has become secret since it was set', async () => {
    world.takes(PRESETS_SCHEMA)
    await world.configure({ url: 'hunter2', action: 'rollback' })
    world.takes({ ...PRESETS_SCHEMA, properties: { url: { type: 'string', writeOnly: true }, action: {} } })
    const config = WorkflowConfig.parse(await (await world.send('GET', PATH)).json())
    expect(config.values).toEqual({ inputs: { action: 'rollback' } })
    expect(config.problems).toEqual([{ pointer: '/inputs/url', msg: expect.stringContaining('secret') }])
  })
})
