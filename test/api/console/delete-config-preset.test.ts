import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { OF, openPresetDesk, type PresetDesk } from '#test/support/preset-desk.ts'

itIsGuarded('deleteConfigPreset')

let desk: PresetDesk

beforeAll(async () => {
  desk = await openPresetDesk(inject('postgres_url'))
})
afterAll(() => desk?.close())

it('is gone for good, on record', async () => {
  const { id, digest, etag } = await desk.keep('config', 'mine', { url: 'a' })
  const path = `/console/api/config-presets/${id}`
  expect(await codeOf(await desk.send('DELETE', path, undefined, { 'if-match': '"old"' }))).toEqual([
    ...[412, 'version_conflict'],
  ])
  expect((await desk.send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(204)
  expect((await desk.send('GET', path)).status).toBe(404)
  expect(await auditOf(desk.api, id)).toMatchObject([
    { action: 'preset.created' },
    { action: 'preset.deleted', data: { kind: 'config', name: 'mine', before: digest, after: null } },
  ])
})

it('stays while a schedule uses it', async () => {
  const { id } = await desk.keep('config', 'pinned', { url: 'a' })
  const draft = { ...OF, name: 'nightly', cron: '@daily', config_preset: id }
  expect((await desk.send('POST', '/triggers/scheduled', draft)).status).toBe(201)
  const refused = await desk.send('DELETE', `/console/api/config-presets/${id}`)
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'conflict', schedules: ['nightly'] }])
})

it('leaves no schedule without what it pins, also when both happen at once', async () => {
  const rounds = Array.from({ length: 12 }, (_, round) => round)
  for (const round of rounds) {
    const { id } = await desk.keep('config', `raced ${round}`, { url: 'a' })
    const draft = { ...OF, name: `raced-${round}`, cron: '@daily', config_preset: `raced ${round}`, preset_version: 1 }
    const [made, gone] = await Promise.all([
      desk.send('POST', '/triggers/scheduled', draft),
      desk.send('DELETE', `/console/api/config-presets/${id}`),
    ])
    expect([
      [201, 409],
      [422, 204],
    ]).toContainEqual([made.status, gone.status])
  }
})
