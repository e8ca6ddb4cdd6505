import { expect, it } from 'vitest'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf } from '#test/support/authoring.ts'
import { itIsGuarded, sharedWorld } from '#test/support/guarded-operation.ts'
import { itRefuses, likeItsExample, overtakenIn } from '#test/support/refused-operation.ts'

itIsGuarded('deleteEnvironment')
itRefuses('deleteEnvironment', sharedWorld, [
  [412, 'version_conflict', likeItsExample({ headers: { 'if-match': '"another"' } })],
  [409, 'conflict', overtakenIn('console_documents')],
])

it('takes back what the console says, and nothing that is shipped or stands in a file', async () => {
  const world = await sharedWorld()
  const owner = world.as('owner')
  const remove = (name: string, headers: Record<string, string> = {}) =>
    world.api.app.request(`/ui/api/environments/${name}`, { method: 'DELETE', headers: { ...owner, ...headers } })
  const name = await world.environment()
  expect(await codeOf(await remove(name, { 'if-match': '"another"' }))).toEqual([412, 'version_conflict'])
  expect(await (await remove(name)).json()).toEqual({ name, layers: [], loosens: [] })
  expect((await world.api.get(`/ui/api/environments/${name}`, owner)).status).toBe(404)
  expect(world.api.deps.services.environments.get(name)).toBeUndefined()
  expect((await auditOf(world.api, `console/environments/${name}`)).at(-1)).toMatchObject({
    action: 'environment.deleted',
    data: { after: null },
  })
  expect(await codeOf(await remove('staging'))).toEqual([409, 'conflict'])
  const body = JSON.stringify({ name: 'staging', approval: { min_approvals: 2 } })
  const headers = { ...owner, 'content-type': 'application/json' }
  await world.api.app.request('/ui/api/environments/staging', { method: 'PUT', body, headers })
  expect(await (await remove('staging')).json()).toEqual({
    ...{ name: 'staging', layers: ['seeded'], loosens: ['approval.min_approvals'] },
  })
})
