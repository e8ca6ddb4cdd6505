import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createTestApi, type TestApi, testApi } from '#test/support/api-client.ts'
import { codeOf } from '#test/support/auth-api.ts'
import { auditOf, sendYaml } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { sharedWorld } from '#test/support/guarded-operation.ts'
import { openEnvironments, testEnvironments } from '#test/support/open-environments.ts'
import { PATIENCE } from '#test/support/patience.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

const ENVIRONMENTS = '/ui/api/environments'
const CANARY = `# before production
name: canary
class: staging
cost_gate: { max_usd: 0.5 }
approval: { min_approvals: 2 }
`
const LIVE =
  'name: live\napproval: { min_approvals: 2, prevent_self: true }\nconnections: { db: { kind: postgres, url: env:DB } }\n'

describe('an environment that is made', () => {
  let processes: ReturnType<typeof openEnvironments>['environments'][]
  let api: TestApi
  let owner: Record<string, string>

  const database = testDatabase()
  beforeAll(async () => {
    const files = { 'environments/live.yaml': 'name: live\n', 'environments/torn.yaml': 'name: [\n' }
    processes = [0, 1].map(() => openEnvironments(database.db, files).environments)
    api = await createTestApi(database, { secret: SECRET, content: { environments: processes[0] ?? {} } })
    owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
  })
  afterAll(async () => {
    await api?.close()
    for (const each of processes ?? []) each.close()
  })

  const post = (text: string, headers = owner) => sendYaml(api, ['POST', ENVIRONMENTS], text, headers)

  it('makes one that is there at once where it was written and everywhere soon after, on record with what it loosens', async () => {
    const answer = await post(CANARY)
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${ENVIRONMENTS}/canary`])
    expect(await answer.json()).toMatchObject({
      ...{ name: 'canary', class: 'staging', document: CANARY, layers: ['console'], workspaces: ['default'] },
      ...{ cost_gate: { max_usd: 0.5 }, approval: { min_approvals: 2 }, loosens: expect.arrayContaining(['class']) },
    })
    expect(processes[0]?.get('canary')).toMatchObject({ class: 'staging', egress: [] })
    await vi.waitFor(() => expect(processes[1]?.get('canary')).toEqual(processes[0]?.get('canary')), PATIENCE)
    expect(await auditOf(api, 'console/environments/canary')).toMatchObject([
      { action: 'environment.created', data: { before: null, after: expect.stringMatching(/^sha256:/) } },
    ])
  })

  it('refuses names that are taken in any layer, names of nothing, and what files alone may say', async () => {
    for (const name of ['canary', 'live', 'production'])
      expect(await codeOf(await post(`name: ${name}\n`))).toEqual([409, 'conflict'])
    for (const [text, hint] of [
      ['name: x\npolicies: [nobody]\n', 'there is no console policy nobody'],
      ['name: x\nprofile: nobody\n', 'there is no profile nobody'],
      ['name: x\napproval: { channels: [nobody] }\n', 'there is no channel nobody'],
      ['name: x\nclas: staging\n', 'did you mean class?'],
      ['name: x\negress: [loopback]\n', 'files'],
      ['name: x\nprocesses: [{ name: job, command: /opt/job }]\n', 'files'],
      ['name: x\nconnections: { db: { kind: postgres, url: "env:OBS_JWT_SECRET" } }\n', 'environments/<name>.yaml'],
      ['name: x\nconnections: { db: { kind: postgres, url: "connection:nobody" } }\n', 'no connection nobody'],
      ['name: x\nfreeze: [{ name: night, cron: "* * *" }]\n', ''],
    ] as const) {
      const answer = await post(text)
      const { code, errors } = (await answer.json()) as { code: string; errors: { msg: string }[] }
      expect([answer.status, code], text).toEqual([422, 'validation_failed'])
      if (hint !== 'files') expect(errors.map(({ msg }) => msg).join()).toContain(hint)
    }
    // what its file would have restricted is not known
    expect(await codeOf(await post('name: torn\n'))).toEqual([409, 'conflict'])
    expect(await database.db`select from console_documents where name in ('x', 'torn', 'live')`).toHaveLength(0)
  })

  it('takes somebody who stands above all workspaces', async () => {
    const own = await bearer(
      api.deps,
      await addUser(api.deps, { roles: ['admin'], workspaces: [DEFAULT_WORKSPACE_ID] }),
    )
    expect(await codeOf(await post('name: mine\n', own))).toEqual([403, 'forbidden'])
  })
})

describe('an environment that a file declares as well', () => {
  const database = testDatabase()
  const opened = testEnvironments(database, { 'environments/live.yaml': LIVE })
  const api = testApi(database, () => ({ content: { environments: opened.environments } }))

  const put = (text: string, headers: Record<string, string> = {}, name = 'live') =>
    sendYaml(api, ['PUT', `/ui/api/environments/${name}`], text, headers)

  it('says more over a file, field by field, and names what may be laxer', async () => {
    const before = await api.get('/ui/api/environments/live')
    const etag = before.headers.get('etag') ?? ''
    const stricter = await put('name: live\napproval: { min_approvals: 3 }\n', { 'if-match': etag })
    expect(await stricter.json()).toMatchObject({
      ...{ approval: { min_approvals: 3, prevent_self: true }, layers: ['file', 'console'], loosens: [] },
      connections: [{ id: 'db', kind: 'postgres' }],
    })
    expect(opened.environments.get('live')?.connections).toEqual({ db: { kind: 'postgres', url: 'env:DB' } })
    expect(await codeOf(await put('name: live\n', { 'if-match': etag }))).toEqual([412, 'version_conflict'])
    const laxer = await put('name: live\napproval: { min_approvals: 1, prevent_self: false }\n')
    expect(await laxer.json()).toMatchObject({ loosens: ['approval.prevent_self', 'approval.min_approvals'] })
    const records = await auditOf(api, 'console/environments/live')
    expect(records.map(({ action, data }) => [action, data['loosens']])).toEqual([
      ['environment.updated', []],
      ['environment.updated', ['approval.prevent_self', 'approval.min_approvals']],
    ])
    expect(records[1]?.data['before']).toBe(records[0]?.data['after'])
  })

  it('binds connections of the console, and none that the file declares', async () => {
    const draft = { name: 'orders', kind: 'http', auth: 'none', config: { base_url: 'https://orders.example.com/' } }
    expect((await api.post('/ui/api/connections', draft)).status).toBe(201)
    const url = 'connection:orders'
    const bound = await put(`name: live\nconnections: { api: { kind: http, url: "${url}" } }\n`)
    expect(await bound.json()).toMatchObject({
      connections: expect.arrayContaining([
        { id: 'db', kind: 'postgres' },
        { id: 'api', kind: 'http' },
      ]),
      loosens: expect.arrayContaining(['connections']),
    })
    expect(opened.environments.connect('live', 'api')).toEqual({ kind: 'http', stored: 'orders' })
    const replaced = await put(`name: live\nconnections: { db: { kind: http, url: "${url}" } }\n`)
    expect([replaced.status, await replaced.text()]).toEqual([
      422,
      expect.stringContaining('the file of the environment declares the connection db'),
    ])
    expect(opened.environments.get('live')?.connections['db']).toEqual({ kind: 'postgres', url: 'env:DB' })
    expect((await put('name: live\napproval: { min_approvals: 3 }\n')).status).toBe(200)
  })

  it('takes an edit of a document of which another line has become a fault since it was stored', async () => {
    const draft = { name: 'orders-2', kind: 'http', auth: 'none', config: { base_url: 'https://orders.example.com/' } }
    expect((await api.post('/ui/api/connections', draft)).status).toBe(201)
    // the file has come to declare it as well
    const bound = 'name: live\nconnections: { db: { kind: http, url: "connection:orders-2" } }\n'
    await database.db`update console_documents set document = ${bound} where kind = 'environment' and name = 'live'`
    expect((await put(`${bound}approval: { min_approvals: 3 }\n`)).status).toBe(200)
    const more = await put(`${bound.replace('db:', 'api: { kind: http, url: "connection:nowhere" }, db:')}`)
    expect(more.status).toBe(422)
    expect((await put('name: live\napproval: { min_approvals: 3 }\n')).status).toBe(200)
  })

  it('changes what ships as well, and nothing that there is not', async () => {
    const answer = await put('name: production\ncost_gate: { max_usd: 1 }\n', {}, 'production')
    expect(await answer.json()).toMatchObject({ class: 'production', cost_gate: { max_usd: 1 }, loosens: [] })
    expect(opened.environments.get('production')?.cost_gate).toEqual({ max_usd: 1 })
    expect(await codeOf(await put('name: nowhere\n', {}, 'nowhere'))).toEqual([404, 'not_found'])
    expect(await codeOf(await put('name: staging\n'))).toEqual([422, 'validation_failed'])
  })

  it('shuts what was stored and cannot be read', async () => {
    await database.db`
      insert into console_documents (kind, workspace_id, name, document, author)
      values ('environment', '*', 'sandbox', 'name: sandbox\nfuture: yes', 'usr_ann')`
    await opened.environments.reloadConsole()
    expect(opened.environments.get('sandbox')).toBeUndefined()
    await put('name: sandbox\n', {}, 'sandbox')
    expect(opened.environments.get('sandbox')).toBeDefined()
  })
})

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

it('lists by name what the caller may know of', async () => {
  const world = await sharedWorld()
  const name = await world.environment()
  const listed = async (who: string) => {
    const answer = await world.api.get('/ui/api/environments', world.as(who))
    const list = (await answer.json()) as { name: string; layers: string[] }[]
    expect(answer.headers.get('x-total-count')).toBe(String(list.length))
    return list
  }
  const all = await listed('owner')
  expect(all.map((each) => each.name)).toEqual(all.map((each) => each.name).toSorted())
  expect(all).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ name, layers: ['console'] }),
      expect.objectContaining({ name: 'development', layers: ['seeded', 'file'] }),
    ]),
  )
  // of the workspace `other`, to which only development is granted
  expect((await listed('stranger')).map((each) => each.name)).toEqual(['development'])
  const { workspaces } = (await (await world.api.get('/auth/me', world.as('stranger'))).json()) as {
    workspaces: string[]
  }
  const there = { ...world.as('owner'), 'x-svc-workspace': workspaces[0] ?? '' }
  const elsewhere = await world.api.get('/ui/api/environments', there)
  const inOther = (await elsewhere.json()) as { name: string; granted: boolean }[]
  expect(inOther.length, 'an owner of all workspaces sees all').toBe(all.length)
  expect(inOther.filter(({ granted }) => granted).map((each) => each.name)).toEqual(['development'])
  expect(all).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'staging', granted: true })]))
})

it('takes back what the console says, and nothing that is shipped or stands in a file', async () => {
  const world = await sharedWorld()
  const owner = world.as('owner')
  const remove = (name: string) =>
    world.api.app.request(`/ui/api/environments/${name}`, { method: 'DELETE', headers: owner })
  const name = await world.environment()
  expect(await (await remove(name)).json()).toEqual({ name, layers: [], loosens: [] })
  expect(world.api.deps.services.environments.get(name)).toBeUndefined()
  expect(await codeOf(await remove('staging'))).toEqual([409, 'conflict'])
  const body = JSON.stringify({ name: 'staging', approval: { min_approvals: 2 } })
  const headers = { ...owner, 'content-type': 'application/json' }
  await world.api.app.request('/ui/api/environments/staging', { method: 'PUT', body, headers })
  expect(await (await remove('staging')).json()).toEqual({
    ...{ name: 'staging', layers: ['seeded'], loosens: ['approval.min_approvals'] },
  })
})
