import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openPresetWorld } from '#test/support/preset-world.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('updateInputPreset')
itRefuses('updateInputPreset', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('presets')],
])

const world = fileFixture(openPresetWorld)

it('changes what is kept, of its own kind alone', async () => {
  const preset = await world.keep('input', 'mine', { url: 'a' })
  const patch = (kind: string, edit: object) => world.send('PATCH', `/console/api/${kind}-presets/${preset.id}`, edit)
  expect(await codeOf(await patch('config', { name: 'other' }))).toEqual([404, 'not_found'])
  const changed = await patch('input', { values: { inputs: { action: 'rollback' } } })
  expect(await changed.json()).toMatchObject({ version: 2, values: { inputs: { action: 'rollback' } } })
  const secret = { inputs: { login: { password: 'hunter2' } } }
  expect(await codeOf(await patch('input', { values: secret }))).toEqual([403, 'governance_knob'])
})
