import { expect, it } from 'vitest'
import { testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { sharedWorld } from '#test/support/guarded-operation.ts'
import { testEnvironments } from '#test/support/open-environments.ts'

const FILE = 'name: careful\nrequires_approval: [service.restart]\nlimits: { max_usd: 1 }\n'

const database = testDatabase()
const opened = testEnvironments(database, { 'profiles/careful.yaml': FILE })
const api = testApi(database, () => ({ content: { environments: opened.environments } }))

it('says more over a file, field by field: what is absent stays gated', async () => {
  const put = (text: string, headers: Record<string, string> = {}) =>
    sendYaml(api, ['PUT', '/ui/api/profiles/careful'], text, headers)
  const etag = (await api.get('/ui/api/profiles/careful')).headers.get('etag') ?? ''
  const stricter = await put('name: careful\nlimits: { max_usd: 0.5 }\n', { 'if-match': etag })
  expect(await stricter.json()).toMatchObject({
    ...{ requires_approval: ['service.restart'], limits: { max_usd: 0.5 }, layers: ['file', 'console'], loosens: [] },
  })
  expect(opened.environments.profile('careful').requires_approval).toEqual(['service.restart'])
  expect(await codeOf(await put('name: careful\n', { 'if-match': etag }))).toEqual([412, 'version_conflict'])
  const laxer = await put('name: careful\nrequires_approval: []\n')
  expect(await laxer.json()).toMatchObject({ requires_approval: [], loosens: ['requires_approval', 'limits.max_usd'] })
  const records = await auditOf(api, 'console/profiles/careful')
  expect(records.map(({ action, data }) => [action, data['loosens']])).toEqual([
    ['profile.updated', []],
    ['profile.updated', ['requires_approval', 'limits.max_usd']],
  ])
})

it('makes a profile with the gates that it names, and refuses names that mean nothing', async () => {
  const world = await sharedWorld()
  const name = world.name('careful')
  const post = (text: string) => sendYaml(world.api, ['POST', '/ui/api/profiles'], text, world.as('owner'))
  const text = `name: ${name}\nrequires_approval: [service.restart]\nlimits: { max_usd: 0.2 }\n`
  const answer = await post(text)
  expect([answer.status, await answer.json()]).toMatchObject([
    201,
    { document: text, limits: { max_usd: 0.2 }, loosens: [] },
  ])
  expect(world.api.deps.services.environments.profile(name)).toEqual({
    ...{ name, requires_approval: ['service.restart'], limits: { max_usd: 0.2 } },
  })
  expect(await codeOf(await post(text))).toEqual([409, 'conflict'])
  expect(await auditOf(world.api, `console/profiles/${name}`)).toMatchObject([{ action: 'profile.created' }])
  for (const wrong of [
    'requires_approval: [service.restrat]',
    'environment: prodution',
    'audit: { anchor: elsewhere }',
    'model_roles: { default: nobody-has-this }',
    'limit: {}',
  ])
    expect(await codeOf(await post(`name: ${name}-2\n${wrong}\n`)), wrong).toEqual([422, 'validation_failed'])
})

it('shows what counts to everybody, and what is said to who stands above workspaces', async () => {
  const world = await sharedWorld()
  const name = await world.profile()
  const get = async (who: string) => (await world.api.get(`/ui/api/profiles/${name}`, world.as(who))).json()
  expect(await get('owner')).toMatchObject({ name, layers: ['console'], document: expect.stringContaining(name) })
  const seen = await get('viewer')
  expect(seen).toMatchObject({ name, requires_approval: [] })
  expect(seen).not.toHaveProperty('document')
})

it('lists by name, and names no environment that the caller may not know of', async () => {
  const world = await sharedWorld()
  const name = world.name('profile')
  const body = { name, environment: 'production', requires_approval: ['service.restart'] }
  await world.api.post('/ui/api/profiles', body, world.as('owner'))
  const found = async (who: string) => {
    const list = (await (await world.api.get('/ui/api/profiles', world.as(who))).json()) as { name: string }[]
    return list.find((each) => each.name === name)
  }
  expect(await found('viewer')).toMatchObject({ environment: 'production', requires_approval: ['service.restart'] })
  expect(await found('stranger')).not.toHaveProperty('environment')
})

it('takes back what the console says, and names what may be laxer without it', async () => {
  const world = await sharedWorld()
  const name = world.name('strict')
  const owner = world.as('owner')
  await world.api.post('/ui/api/profiles', { name, require_plan_hash: true }, owner)
  const gone = await world.api.app.request(`/ui/api/profiles/${name}`, { method: 'DELETE', headers: owner })
  expect(await gone.json()).toEqual({ name, layers: [], loosens: ['require_plan_hash'] })
  const records = await auditOf(world.api, `console/profiles/${name}`)
  expect(records.at(-1)).toMatchObject({ action: 'profile.deleted', data: { loosens: ['require_plan_hash'] } })
})
