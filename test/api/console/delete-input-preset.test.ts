import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openPresetWorld } from '#test/support/preset-world.ts'
import { itRefuses, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteInputPreset')
itRefuses('deleteInputPreset', sharedWorld, [[409, 'conflict', overtakenIn('presets')]])

const world = fileFixture(openPresetWorld)

it('is gone for good, on record', async () => {
  const { id, digest, etag } = await world.keep('input', 'mine', { url: 'a' })
  const path = `/console/api/input-presets/${id}`
  expect(await codeOf(await world.send('DELETE', path, undefined, { 'if-match': '"old"' }))).toEqual([
    ...[412, 'version_conflict'],
  ])
  expect((await world.send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(204)
  expect((await world.send('GET', path)).status).toBe(404)
  expect(await auditOf(world.api, id)).toMatchObject([
    { action: 'preset.created' },
    { action: 'preset.deleted', data: { kind: 'input', name: 'mine', before: digest, after: null } },
  ])
})
