import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { type KeptPreset, openPresetWorld } from '#test/support/preset-world.ts'
import { itRefuses, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('makeConfigPresetDefault')
itRefuses('makeConfigPresetDefault', sharedWorld, [[409, 'conflict', overtakenIn('presets')]])

const PATH = '/console/api/config-presets'

const world = fileFixture(openPresetWorld)

const make = ({ id }: KeptPreset, headers: Record<string, string> = {}) =>
  world.send('POST', `${PATH}/${id}/default`, undefined, headers)
async function defaults(): Promise<string[]> {
  const all = (await (await world.send('GET', PATH)).json()) as KeptPreset[]
  return all.filter(({ is_default }) => is_default).map(({ name }) => name)
}

it('there is one default at a time, no matter who is fastest', async () => {
  const [fast, slow] = [
    await world.keep('config', 'fast', { url: 'fast' }),
    await world.keep('config', 'slow', { url: 'slow' }),
  ]
  expect(await defaults()).toEqual([])
  expect(await (await make(fast)).json()).toMatchObject({ is_default: true, version: 1 })
  expect((await make(slow)).status).toBe(200)
  expect(await defaults()).toEqual(['slow'])
  expect(await codeOf(await make(fast, { 'if-match': '"old"' }))).toEqual([412, 'version_conflict'])
  const statuses = (await Promise.all([fast, slow, fast, slow].map((each) => make(each)))).map(({ status }) => status)
  expect(statuses.every((status) => [200, 409].includes(status))).toBe(true)
  expect(await defaults()).toHaveLength(1)
  expect((await auditOf(world.api, slow.id))[1]).toMatchObject({ action: 'preset.updated', data: { is_default: true } })
})

it('is what starts that name none begin with', async () => {
  const preset = await world.keep('config', 'usual', { url: 'http://usual' })
  await make(preset)
  const started = await world.start({ inputs: {} })
  expect([started.status, await started.json()]).toMatchObject([
    202,
    { config_preset: 'usual', inputs: { url: 'http://usual' }, provenance: { config_preset: { id: preset.id } } },
  ])
})
