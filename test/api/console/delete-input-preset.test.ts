import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { openPresetDesk, type PresetDesk } from '#test/support/preset-desk.ts'
import { itRefuses, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteInputPreset')
itRefuses('deleteInputPreset', sharedWorld, [[409, 'conflict', overtakenIn('presets')]])

let desk: PresetDesk

beforeAll(async () => {
  desk = await openPresetDesk(inject('postgres_url'))
})
afterAll(() => desk?.close())

it('is gone for good, on record', async () => {
  const { id, digest, etag } = await desk.keep('input', 'mine', { url: 'a' })
  const path = `/console/api/input-presets/${id}`
  expect(await codeOf(await desk.send('DELETE', path, undefined, { 'if-match': '"old"' }))).toEqual([
    ...[412, 'version_conflict'],
  ])
  expect((await desk.send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(204)
  expect((await desk.send('GET', path)).status).toBe(404)
  expect(await auditOf(desk.api, id)).toMatchObject([
    { action: 'preset.created' },
    { action: 'preset.deleted', data: { kind: 'input', name: 'mine', before: digest, after: null } },
  ])
})
