import { expect, it } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, unreadable } from '#test/support/refused-operation.ts'

itIsGuarded('getEnvironment')
itRefuses('getEnvironment', sharedWorld, [[409, 'conflict', unreadable]])

it('shows what counts to who may use it, what is said to who stands above, and nothing to others', async () => {
  const world = await sharedWorld()
  const name = world.name('shared')
  const draft = { name, workspaces: ['default', 'archived'] }
  await world.api.post('/ui/api/environments', draft, world.as('owner'))
  const get = (who: string) => world.api.get(`/ui/api/environments/${name}`, world.as(who))
  expect(await (await get('admin')).json()).toMatchObject({ ...draft, document: expect.stringContaining(name) })
  const seen = (await (await get('viewer')).json()) as object
  expect(seen).toMatchObject({ name, workspaces: ['default'], layers: ['console'] })
  expect(seen).not.toHaveProperty('document')
  expect(seen).not.toHaveProperty('author')
  expect(await codeOf(await get('stranger'))).toEqual([404, 'not_found'])
  const admin = { ...world.as('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const seeded = await world.api.get('/ui/api/environments/production', admin)
  expect(await seeded.json()).toMatchObject({ layers: ['seeded'], problems: [] })
})
