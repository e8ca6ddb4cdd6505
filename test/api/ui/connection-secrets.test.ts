import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ConnectionRecord } from '#core/connection/schema.ts'
import { createConnectionBox } from '#platform/connection-box.ts'
import { TEST_MASTER_KEY, testApi } from '#test/support/api-client.ts'
import { auditOf } from '#test/support/authoring.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { testEnvironments } from '#test/support/open-environments.ts'
import { addUser, bearer, SECRET } from '#test/support/users.ts'

const CANARY = 'canary-4f1d-never-to-be-seen'
const ROTATED = 'canary-9b7e-never-to-be-seen'
const API = { base_url: 'https://api.example.com/v1/' }

/** One of every kind and every way to sign in; this machine is closed to tests of them. */
const OF_KINDS = [
  { kind: 'http', auth: 'basic', config: { ...API, user: 'svc' } },
  {
    ...{ kind: 'http', auth: 'oauth2' },
    config: { ...API, issuer: 'https://login.example.com', client_id: 'svc', scopes: ['read'] },
  },
  { kind: 'postgres', auth: 'basic', config: { host: '127.0.0.1', port: 9, database: 'orders', user: 'svc' } },
  { kind: 'prometheus', auth: 'bearer', config: { base_url: 'http://127.0.0.1:9/' } },
  { kind: 'prometheus', auth: 'basic', config: { base_url: 'http://127.0.0.1:9/', user: 'svc' } },
  { kind: 'slack', auth: 'bearer', config: { base_url: 'http://127.0.0.1:9/' } },
  { kind: 'smtp', auth: 'basic', config: { host: '127.0.0.1', port: 9, tls: 'none', user: 'svc' } },
  {
    kind: 's3',
    auth: 'key',
    config: { endpoint: 'http://127.0.0.1:9', region: 'eu', bucket: 'artifacts', access_key_id: 'AKIA' },
  },
]

const database = testDatabase()
const opened = testEnvironments(database)
const api = testApi(database, () => ({ secret: SECRET, content: { environments: opened.environments } }))
let owner: Record<string, string>
let names = 0

beforeAll(async () => {
  owner = await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] }))
})
beforeEach(() => {
  api.deps.authoring.connection_ports.box = createConnectionBox([TEST_MASTER_KEY])
})

async function made(changes: object = {}): Promise<ConnectionRecord> {
  names += 1
  const draft = { name: `secret-${names}`, kind: 'http', config: API, secret: CANARY, ...changes }
  const answer = await api.post('/ui/api/connections', draft, owner)
  expect(answer.status).toBe(201)
  return (await answer.json()) as ConnectionRecord
}
const patch = (id: string, edit: object, headers = owner) =>
  api.app.request(`/ui/api/connections/${id}`, {
    ...{ method: 'PATCH', body: JSON.stringify(edit) },
    headers: { 'content-type': 'application/json', ...headers },
  })
async function patched(id: string, edit: object): Promise<ConnectionRecord> {
  const answer = await patch(id, edit)
  expect(answer.status).toBe(200)
  return (await answer.json()) as ConnectionRecord
}
const openedSecret = async (id: string) => {
  const row = await api.deps.authoring.connection_ports.store.find(id)
  const sealed = await api.deps.authoring.connection_ports.store.sealed(id, row?.version ?? 0)
  const address = `http bearer ${String(row?.config['base_url'])}`
  return await api.deps.authoring.connection_ports.box?.open({ id, version: row?.version ?? 0, address }, sealed ?? '')
}

describe('a secret', () => {
  test('is found nowhere in clear: in no table, log, record, answer or error', async () => {
    const connection = await made()
    const answers = [
      await api.get('/ui/api/connections', owner),
      await api.get(`/ui/api/connections/${connection.id}`, owner),
      await patch(connection.id, { secret: ROTATED }),
      await patch(connection.id, { config: { base_url: 'nonsense' }, secret: CANARY }),
      await patch(connection.id, { secret: CANARY, token: CANARY }),
      await api.post('/ui/api/connections', { name: 'x', kind: 'http', config: { token: CANARY } }, owner),
      await api.post('/ui/api/connections', `{"secret": "${CANARY}`, owner),
      await api.post('/ui/api/connections/test', { id: connection.id, secret: ROTATED }, owner),
      await api.app.request(`/ui/api/connections/${connection.id}`, { method: 'DELETE', headers: owner }),
    ]
    for (const { kind, auth, config } of OF_KINDS) {
      const { id } = await made({ kind, auth, config })
      answers.push(
        await patch(id, { secret: ROTATED }),
        await patch(id, { config: { ...config, token: CANARY }, secret: CANARY }),
        await api.post('/ui/api/connections/test', { kind, auth, config, secret: CANARY }, owner),
        await api.get(`/ui/api/connections/${id}`, owner),
      )
    }
    const seen = [JSON.stringify(connection), JSON.stringify(api.lines)]
    for (const answer of answers) seen.push(await answer.text())
    const tables = await database.db<{ name: string }[]>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
        and has_table_privilege(oid, 'select')`
    for (const { name } of tables)
      for (const { text } of await database.db<{ text: string }[]>`select t::text as text from ${database.db(name)} t`)
        seen.push(text)
    // what was looked through has the connection itself and the record of it
    for (const known of [connection.name, 'connection.created', 'fingerprint'])
      expect(seen.filter((text) => text.includes(known)).length).toBeGreaterThan(0)
    for (const secret of [CANARY, ROTATED])
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, 24)])
        expect(seen.filter((text) => text.includes(form))).toEqual([])
  })

  test('that is rotated is another version with another fingerprint, on record by that alone', async () => {
    const before = await made()
    const after = await patched(before.id, { secret: ROTATED })
    expect([after.version, after.status]).toEqual([2, 'untested'])
    expect(after.secret.fingerprint).not.toBe(before.secret.fingerprint)
    expect(await openedSecret(before.id)).toBe(ROTATED)
    expect((await auditOf(api, before.id)).map(({ action, data }) => [action, data['fingerprint']])).toEqual([
      ['connection.created', before.secret.fingerprint],
      ['connection.updated', after.secret.fingerprint],
    ])
  })

  test('stays where other things change, and is sealed for the new version', async () => {
    const before = await made()
    const after = await patched(before.id, { config: { ...API, test_path: 'me' } })
    expect([after.version, after.secret]).toEqual([2, before.secret])
    expect(await openedSecret(before.id)).toBe(CANARY)
    expect(await patched(before.id, { workspaces: ['*'] })).toMatchObject({ version: 2, workspaces: ['*'] })
    expect(await openedSecret(before.id)).toBe(CANARY)
  })

  test.each<[string, object]>([
    ['another host', { config: { base_url: 'https://evil.example.com/v1/' } }],
    ['no TLS', { config: { base_url: 'http://api.example.com/v1/' } }],
    ['another path', { config: { base_url: 'https://api.example.com/' } }],
    ['another way to sign in', { auth: 'basic', config: { ...API, user: 'ann' } }],
    ['another kind', { kind: 'postgres', config: { host: 'api.example.com', database: 'a', user: 'b' } }],
  ])('is asked for again with %s, and given the change is made', async (_what, edit) => {
    const { id } = await made()
    const refused = await patch(id, edit)
    expect([refused.status, await refused.json()]).toMatchObject([422, { code: 'secret_required' }])
    expect(await openedSecret(id)).toBe(CANARY)
    expect(await patched(id, { ...edit, secret: ROTATED })).toMatchObject({ version: 2, secret: { set: true } })
  })

  test('is taken away where there is nothing to sign in with, and refused there', async () => {
    const { id } = await made()
    const refused = await patch(id, { auth: 'none', secret: ROTATED })
    expect([refused.status, await refused.json()]).toMatchObject([422, { errors: [{ pointer: '/secret' }] }])
    expect(await patched(id, { auth: 'none' })).toMatchObject({ secret: { set: false }, auth: 'none' })
    expect(await database.db`select from connection_secrets where connection_id = ${id}`).toHaveLength(0)
    expect((await patch(id, { auth: 'bearer' })).status).toBe(422)
  })

  test('whose key is lost names the key, and is set again', async () => {
    const { id } = await made()
    api.deps.authoring.connection_ports.box = createConnectionBox(['another key of the tests, long enough'])
    const shown = (await (await api.get(`/ui/api/connections/${id}`, owner)).json()) as ConnectionRecord
    const kid = createConnectionBox([TEST_MASTER_KEY])?.kid
    expect(shown).toMatchObject({ status: 'failed', problem: expect.stringContaining(String(kid)) })
    const kept = await patch(id, { config: { ...API, test_path: 'me' } })
    expect([kept.status, await kept.json()]).toMatchObject([501, { code: 'not_configured' }])
    expect(await patched(id, { secret: ROTATED })).toMatchObject({ status: 'untested' })
  })
})

describe('a connection', () => {
  test.each<[string, object, string]>([
    ['credentials in its url', { config: { base_url: 'https://ann:secret@api.example.com/' } }, '/config/base_url'],
    ['a workspace that does not exist', { workspaces: ['nowhere'] }, '/workspaces'],
    ['a secret of two lines', { secret: 'a\nb' }, '/secret'],
    ['a name that looks like an id', { name: `conn_${'0'.repeat(26)}` }, '/name'],
  ])('with %s is refused at its field', async (_what, changes, pointer) => {
    const draft = { name: 'refused', kind: 'http', config: API, secret: CANARY, ...changes }
    const answer = await api.post('/ui/api/connections', draft, owner)
    expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ pointer }] }])
  })

  test('says nothing of the workspaces that are hidden, not even to one who guesses them', async () => {
    const admin = await bearer(api.deps, await addUser(api.deps, { roles: ['admin'] }))
    const rows = [await made(), await made()]
    await database.db`update connections set workspaces = '{default,secret-project}' where id = ${rows[1]?.id ?? ''}`
    const [one, other] = await Promise.all(
      rows.map(
        async ({ id }) => (await (await api.get(`/ui/api/connections/${id}`, admin)).json()) as ConnectionRecord,
      ),
    )
    expect([other?.workspaces, other?.digest, other?.etag]).toEqual([['default'], one?.digest, one?.etag])
  })

  test('is not deleted under an environment that another process has just bound to it', async () => {
    const { id, name } = await made()
    const document = `name: development\nconnections: { api: { kind: http, url: "connection:${name}" } }\n`
    await database.db`
      insert into console_documents (kind, workspace_id, name, document, author, authors)
      values ('environment', '*', 'development', ${document}, 'usr_ann', '{usr_ann}')`
    const refused = await api.app.request(`/ui/api/connections/${id}`, { method: 'DELETE', headers: owner })
    expect([refused.status, await refused.json()]).toMatchObject([
      409,
      { bound_by: [{ environment: 'development', name: 'api' }] },
    ])
    await database.db`delete from console_documents`
    const deleted = await api.app.request(`/ui/api/connections/${id}`, { method: 'DELETE', headers: owner })
    expect(deleted.status).toBe(204)
  })

  test('is hidden from workspaces that it is not granted to, and of admins of one workspace only shown', async () => {
    const { id } = await made({ workspaces: ['*'] })
    const admin = await bearer(api.deps, await addUser(api.deps, { roles: ['admin'] }))
    expect((await api.get(`/ui/api/connections/${id}`, admin)).status).toBe(200)
    expect((await patch(id, { secret: ROTATED }, admin)).status).toBe(403)
    await patched(id, { workspaces: ['default'] })
    const hidden = await made({ workspaces: ['default'] })
    await database.db`update connections set workspaces = '{other}' where id = ${hidden.id}`
    expect((await api.get(`/ui/api/connections/${hidden.id}`, admin)).status).toBe(404)
    const list = (await (await api.get('/ui/api/connections', admin)).json()) as ConnectionRecord[]
    expect(list.map((each) => each.id)).toEqual(expect.arrayContaining([id]))
    expect(list.map((each) => each.id)).not.toContain(hidden.id)
  })
})
