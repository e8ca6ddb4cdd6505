import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { fileFixture } from '#test/support/file-fixture.ts'
import { itIsGuarded } from '#test/support/guarded-operation.ts'
import { OF, openPresetWorld } from '#test/support/preset-world.ts'

itIsGuarded('deleteConfigPreset')

const world = fileFixture(openPresetWorld)

it('is gone for good, on record', async () => {
  const { id, digest, etag } = await world.keep('config', 'mine', { url: 'a' })
  const path = `/console/api/config-presets/${id}`
  expect(await codeOf(await world.send('DELETE', path, undefined, { 'if-match': '"old"' }))).toEqual([
    ...[412, 'version_conflict'],
  ])
  expect((await world.send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(204)
  expect((await world.send('GET', path)).status).toBe(404)
  expect(await auditOf(world.api, id)).toMatchObject([
    { action: 'preset.created' },
    { action: 'preset.deleted', data: { kind: 'config', name: 'mine', before: digest, after: null } },
  ])
})

it('stays while a schedule uses it', async () => {
  const { id } = await world.keep('config', 'pinned', { url: 'a' })
  const draft = { ...OF, name: 'nightly', cron: '@daily', config_preset: id }
  expect((await world.send('POST', '/triggers/scheduled', draft)).status).toBe(201)
  const refused = await world.send('DELETE', `/console/api/config-presets/${id}`)
  expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'conflict', schedules: ['nightly'] }])
})

it('leaves no schedule without what it pins, also when both happen at once', async () => {
  const rounds = Array.from({ length: 12 }, (_, round) => round)
  for (const round of rounds) {
    const { id } = await world.keep('config', `raced ${round}`, { url: 'a' })
    const draft = { ...OF, name: `raced-${round}`, cron: '@daily', config_preset: `raced ${round}`, preset_version: 1 }
    const [made, gone] = await Promise.all([
      world.send('POST', '/triggers/scheduled', draft),
      world.send('DELETE', `/console/api/config-presets/${id}`),
    ])
    expect([
      [201, 409],
      [422, 204],
    ]).toContainEqual([made.status, gone.status])
  }
})
