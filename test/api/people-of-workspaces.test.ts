import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiKey, CreatedApiKey } from '#core/api-key/schema.ts'
import { HaltRecord } from '#core/halt/schema.ts'
import { DEFAULT_WORKSPACE_ID as FIRST } from '#core/id.ts'
import { InvitedUser, User } from '#core/user/schema.ts'
import { asJson } from '#store/db.ts'
import type { UserPatch, UserRow } from '#store/users.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { type AuthApi, codeOf, createAuthApi } from '../support/auth-api.ts'
import { addWorkspace } from '../support/tenants.ts'
import { admitTestRun, runDraft } from '../support/test-runs.ts'
import { addApiKey, addUser, bearer, PASSWORD } from '../support/users.ts'

const [A, B, C] = [...'abc'].map((last) => `ws_0000000000000000000000000${last}`) as [string, string, string]
const NOBODY = 'usr_7zzzzzzzzzzzzzzzzzzzzzzzzz'
const NO_KEY = 'key_7zzzzzzzzzzzzzzzzzzzzzzzzz'
const NEW_PASSWORD = 'another long enough one'

let api: AuthApi
/** people of A, of B, of both, and of all; admins but for `viewer` and `bea` */
let people: Record<'annA' | 'adamB' | 'bothAdmin' | 'viewer' | 'bea' | 'both' | 'owner', UserRow>

const database = testDatabase()
beforeAll(async () => {
  for (const [id, slug] of [
    [A, 'a'],
    [B, 'b'],
    [C, 'c'],
  ] as const)
    await addWorkspace(database, id, slug)
  api = await createAuthApi(database)
  const add = (rights: UserPatch & { email?: string }) => addUser(api.deps, rights)
  people = {
    annA: await add({ roles: ['admin'], workspaces: [A, C] }),
    adamB: await add({ email: 'adam@elsewhere.test', roles: ['admin'], workspaces: [B] }),
    bothAdmin: await add({ roles: ['admin'], workspaces: [A, B] }),
    viewer: await add({ workspaces: [A] }),
    bea: await add({ email: 'bea@elsewhere.test', roles: ['operator'], workspaces: [B] }),
    both: await add({ roles: ['operator'], workspaces: [B, A], display_name: 'Bo of both' }),
    owner: await add({ roles: ['owner'], workspaces: ['*'] }),
  }
})
afterAll(() => api?.close())
beforeEach(() => api.forget())

type Who = keyof typeof people
const as = async (who: Who) => await bearer(api.deps, people[who])

async function send(who: Who, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { ...(await as(who)), 'content-type': 'application/json', 'x-request-id': 'the-same-request' }
  return await api.app.request(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
}

/** An answer without the id that was asked for. */
async function bytes(answer: Response, ...ids: string[]): Promise<string> {
  const text = await answer.text()
  return [
    answer.status,
    [...answer.headers].join('\n'),
    ids.reduce((left, id) => left.replaceAll(id, 'ID'), text),
  ].join('\n')
}

async function usersSeenBy(who: Who): Promise<z.infer<typeof User>[]> {
  return z.array(User).parse(await (await send(who, 'GET', '/admin/users?limit=200')).json())
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

/** What stands about somebody in the logs, by workspace. */
async function logged(id: string): Promise<{ workspace_id: string; action: string; data: Record<string, unknown> }[]> {
  await api.settled()
  const rows = await database.db<{ draft: { workspace_id: string; action: string; data: Record<string, unknown> } }[]>`
    select draft from audit_outbox where draft -> 'subject' ->> 'id' = ${id} order by id`
  return rows.map(({ draft: { workspace_id, action, data } }) => ({ workspace_id, action, data }))
}

describe('whom an admin sees', () => {
  it('are the people of their workspaces, counted too; anyone who may enter all sees all', async () => {
    const seen = idsOf(await usersSeenBy('annA'))
    for (const who of ['annA', 'viewer', 'both', 'bothAdmin', 'owner'] as const) expect(seen).toContain(people[who].id)
    for (const who of ['adamB', 'bea'] as const) expect(seen).not.toContain(people[who].id)
    const answer = await send('annA', 'GET', '/admin/users')
    expect(answer.headers.get('x-total-count')).toBe(String(seen.length))
    expect(idsOf(await usersSeenBy('owner'))).toEqual(expect.arrayContaining(Object.values(people).map(({ id }) => id)))
  })

  it('of somebody who is elsewhere too, only what is of their workspaces', async () => {
    await database.db`update users set delegate_to = ${people.bea.id} where id = ${people.both.id}`
    const seen = (await usersSeenBy('annA')).find(({ id }) => id === people.both.id)
    expect(seen).toMatchObject({ workspaces: [A] })
    expect(seen).not.toHaveProperty('delegate_to')
    expect((await usersSeenBy('adamB')).find(({ id }) => id === people.both.id)).toMatchObject({
      workspaces: [B],
      delegate_to: people.bea.id,
    })
  })

  it('somebody elsewhere is nobody, byte for byte, to every act', async () => {
    const acts = [
      ['annA', 'PATCH', '', { status: 'disabled' }],
      ['annA', 'PATCH', '', { workspaces: [A] }],
      ['annA', 'PATCH', '', { workspaces: [] }],
      ['annA', 'POST', '/password', { password: NEW_PASSWORD }],
      ['annA', 'POST', '/password', { password: NEW_PASSWORD, invite_token: 'guessed' }],
      // a role that is too low is refused before anybody is looked for
      ['viewer', 'POST', '/password', { password: NEW_PASSWORD }],
      ['viewer', 'POST', '/password', { password: NEW_PASSWORD, current_password: PASSWORD }],
      ['viewer', 'POST', '/password', { password: NEW_PASSWORD, invite_token: 'guessed' }],
    ] as const
    const body = { email: 'asked@example.test', roles: ['viewer'], workspaces: [B] }
    const invited = InvitedUser.parse(await (await send('owner', 'POST', '/admin/users', body)).json())
    for (const [who, method, rest, body] of acts) {
      const none = await bytes(await send(who, method, `/admin/users/${NOBODY}${rest}`, body), NOBODY)
      for (const { id } of [people.bea, people.adamB, invited]) {
        const answer = await send(who, method, `/admin/users/${id}${rest}`, body)
        expect(answer.status).toBe(
          who === 'annA' && !('invite_token' in body) ? 404 : 'invite_token' in body ? 401 : 403,
        )
        expect(await bytes(answer, id), `${who} ${method} ${rest} ${JSON.stringify(body)}`).toBe(none)
      }
    }
  })

  it('of a colleague a viewer learns no more than of nobody', async () => {
    const body = { password: NEW_PASSWORD }
    const of = async (id: string) => await bytes(await send('viewer', 'POST', `/admin/users/${id}/password`, body), id)
    expect(await of(people.annA.id)).toBe(await of(NOBODY))
  })

  it('a workspace elsewhere is no workspace, in an invitation and in a change', async () => {
    const none = 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz'
    const { id } = people.viewer
    for (const act of [
      (workspace: string) => send('annA', 'PATCH', `/admin/users/${id}`, { workspaces: [A, workspace] }),
      (workspace: string) =>
        send('annA', 'POST', '/admin/users', { email: 'x@example.test', roles: ['viewer'], workspaces: [workspace] }),
    ])
      expect(await bytes(await act(B), B)).toBe(await bytes(await act(none), none))
  })
})

describe('somebody of several workspaces', () => {
  it('an admin of one changes their place there, and nothing else', async () => {
    const person = await addUser(api.deps, { roles: ['operator'], workspaces: [B, A] })
    const path = `/admin/users/${person.id}`
    for (const edit of [
      { roles: ['viewer'] },
      { status: 'disabled' },
      { display_name: 'x' },
      { scopes: [] },
      { approval_roles: ['dba'] },
      { workspaces: [A], status: 'disabled' },
    ]) {
      const refused = await send('annA', 'PATCH', path, edit)
      expect(refused.status).toBe(403)
      expect(await refused.text()).toContain('workspaces that are not yours')
    }
    const refused = await send('annA', 'POST', `${path}/password`, { password: NEW_PASSWORD })
    expect(await codeOf(refused)).toEqual([403, 'forbidden'])

    const added = User.parse(await (await send('annA', 'PATCH', path, { workspaces: [A, C] })).json())
    expect(added.workspaces).toEqual([A, C])
    // home stays home
    expect((await api.deps.identity.users.find(person.id))?.workspaces).toEqual([B, A, C])
    const removed = await send('annA', 'PATCH', path, { workspaces: [] })
    expect(User.parse(await removed.json()).workspaces).toEqual([])
    expect(await api.deps.identity.users.find(person.id)).toMatchObject({ workspaces: [B], roles: ['operator'] })
    expect(await codeOf(await send('annA', 'PATCH', path, { workspaces: [A] }))).toEqual([404, 'not_found'])
    const alone = await send('adamB', 'PATCH', path, { workspaces: [] })
    expect(await codeOf(alone)).toEqual([422, 'validation_failed'])
  })

  it('an admin of all of them does it all', async () => {
    const person = await addUser(api.deps, { roles: ['operator'], workspaces: [A, B] })
    const path = `/admin/users/${person.id}`
    expect((await send('bothAdmin', 'PATCH', path, { roles: ['viewer'] })).status).toBe(200)
    expect((await send('bothAdmin', 'POST', `${path}/password`, { password: NEW_PASSWORD })).status).toBe(204)
    expect((await send('bothAdmin', 'PATCH', path, { status: 'disabled' })).status).toBe(200)
  })

  it('anyone who may enter all is changed by nobody of some', async () => {
    const peer = await api.admin()
    for (const edit of [{ workspaces: [A] }, { workspaces: [] }, { status: 'disabled' }])
      expect(await codeOf(await send('annA', 'PATCH', `/admin/users/${peer.id}`, edit))).toEqual([403, 'forbidden'])
    expect(await api.deps.identity.users.find(peer.id)).toEqual(peer)
  })

  it('who was invited for several is not asked again by an admin of one', async () => {
    const invite = (who: Who, email: string, workspaces: string[]) =>
      send(who, 'POST', '/admin/users', { email, roles: ['viewer'], workspaces })
    expect((await invite('bothAdmin', 'two@example.test', [A, B])).status).toBe(201)
    expect(await codeOf(await invite('annA', 'two@example.test', [A]))).toEqual([403, 'forbidden'])
    expect((await invite('adamB', 'only-b@example.test', [B])).status).toBe(201)
    const taken = await bytes(await invite('annA', 'only-b@example.test', [A]))
    expect(taken).toContain('409')
    expect(await bytes(await invite('annA', people.viewer.email, [A]))).toBe(taken)
  })
})

describe('API keys', () => {
  it('are those that may be used in the caller’s workspaces; another one is none, byte for byte', async () => {
    const robotA = await addUser(api.deps, { roles: ['service'], workspaces: [A] })
    const robotB = await addUser(api.deps, { roles: ['service'], workspaces: [B] })
    const robot = await addUser(api.deps, { roles: ['service'], workspaces: [A, B] })
    const [ofA, ofB] = [await addApiKey(api.deps, robotA.id), await addApiKey(api.deps, robotB.id)]
    const [boundA, boundB] = [
      await addApiKey(api.deps, robot.id, { workspace_id: A }),
      await addApiKey(api.deps, robot.id, { workspace_id: B }),
    ]
    const both = await addApiKey(api.deps, robot.id)
    const gone = await addApiKey(api.deps, robot.id)
    await database.db`update api_keys set created_by = ${people.adamB.id} where id = ${both.id}`
    await database.db`update api_keys set revoked_at = now(), revoked_by = ${people.adamB.id} where id = ${gone.id}`
    const seenBy = async (who: Who) => {
      const answer = await send(who, 'GET', '/admin/api-keys?limit=200')
      const keys = z.array(ApiKey).parse(await answer.json())
      expect(answer.headers.get('x-total-count')).toBe(String(keys.length))
      return keys
    }
    const seen = await seenBy('annA')
    expect(idsOf(seen).toSorted()).toEqual(idsOf([ofA, boundA, both, gone]).toSorted())
    expect(JSON.stringify(seen)).not.toContain(people.adamB.id)
    expect(idsOf(await seenBy('owner'))).toEqual(expect.arrayContaining(idsOf([ofA, ofB, boundA, boundB, both])))

    const none = await bytes(await send('annA', 'DELETE', `/admin/api-keys/${NO_KEY}`), NO_KEY)
    for (const { id } of [ofB, boundB])
      expect(await bytes(await send('annA', 'DELETE', `/admin/api-keys/${id}`), id)).toBe(none)
    expect(await codeOf(await send('annA', 'DELETE', `/admin/api-keys/${both.id}`))).toEqual([403, 'forbidden'])
    expect((await send('annA', 'DELETE', `/admin/api-keys/${boundA.id}`)).status).toBe(204)
    expect((await send('annA', 'DELETE', `/admin/api-keys/${ofA.id}`)).status).toBe(204)
    for (const key of [ofB, boundB, both]) expect((await api.get('/auth/me', key.headers)).status).toBe(200)
  })

  it('are made for no account elsewhere, and the answer does not tell one from none', async () => {
    const robot = await addUser(api.deps, { roles: ['service'], workspaces: [B] })
    const made = async (account: string) =>
      await bytes(await send('annA', 'POST', '/admin/api-keys', { name: 'k', account }), account)
    const none = await made(NOBODY)
    for (const account of [robot.id, robot.email, people.bea.id, people.bea.email, 'nobody@example.test'])
      expect(await made(account)).toBe(none)
  })
})

describe('records about people', () => {
  it('a sign-in stands in the workspaces of anyone who signs in, no matter what header or path names', async () => {
    const person = await addUser(api.deps, { workspaces: [B, A] })
    for (const [prefix, headers] of [
      ['', {}],
      ['', { 'x-svc-workspace': C }],
      [`/workspaces/${C}`, {}],
      ['', { 'x-svc-workspace': 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz' }],
    ] as const) {
      const before = (await logged(person.id)).length
      const answer = await api.app.request(`${prefix}/token`, {
        method: 'POST',
        body: new URLSearchParams({ username: person.email, password: PASSWORD }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      })
      expect(answer.status).toBe(200)
      const added = (await logged(person.id)).slice(before)
      expect(added.map(({ workspace_id, action }) => [workspace_id, action])).toEqual([
        [B, 'token.issued'],
        [A, 'token.issued'],
      ])
    }
    const session = await api.app.request('/console/api/session', {
      method: 'POST',
      body: JSON.stringify({ email: person.email, password: PASSWORD }),
      headers: { 'content-type': 'application/json', 'x-svc-workspace': C },
    })
    expect(session.status).toBe(200)
    expect((await logged(person.id)).filter(({ workspace_id }) => ![A, B, FIRST].includes(workspace_id))).toEqual([])
  })

  it('a refused sign-in likewise; of anyone who is not known, in the first workspace', async () => {
    const person = await addUser(api.deps, { workspaces: [B, A] })
    const wrong = { username: person.email, password: 'wrong but long enough' }
    expect((await api.signIn(wrong, { 'x-svc-workspace': C })).status).toBe(400)
    const refused = (await logged(person.id)).filter(({ action }) => action === 'token.refused')
    expect(refused.map(({ workspace_id }) => workspace_id).toSorted()).toEqual([A, B])
    const unknown = await api.signIn({ ...wrong, username: 'nobody@example.test' }, { 'x-svc-workspace': C })
    expect(unknown.status).toBe(400)
    expect((await logged('unknown')).map(({ workspace_id }) => workspace_id)).not.toContain(C)
  })

  it('a refused key, in the workspaces of its account', async () => {
    const robot = await addUser(api.deps, { roles: ['service'], workspaces: [B, A] })
    const key = await addApiKey(api.deps, robot.id)
    await database.db`update api_keys set revoked_at = now(), revoked_by = 'usr_local' where id = ${key.id}`
    expect((await api.get('/runs', { ...key.headers, 'x-svc-workspace': C })).status).toBe(401)
    expect((await logged(key.id)).map(({ workspace_id }) => workspace_id).toSorted()).toEqual([A, B])
  })

  it('what an admin does to somebody stands where that person is, and each log names only its own workspace', async () => {
    const header = { ...(await as('owner')), 'x-svc-workspace': C }
    const body = { email: 'three@example.test', roles: ['viewer'], workspaces: [A, B] }
    const { id } = InvitedUser.parse(await (await api.post('/admin/users', body, header)).json())
    await api.post(`/admin/users/${id}/password`, { password: NEW_PASSWORD }, header)
    await api.patch(`/admin/users/${id}`, { roles: ['operator'] }, header)
    await api.patch(`/admin/users/${id}`, { workspaces: [B] }, header)
    const of = async (workspace: string) => (await logged(id)).filter((each) => each.workspace_id === workspace)
    expect((await of(A)).map(({ action, data }) => [action, data['workspaces']])).toEqual([
      ['user.invited', [A]],
      ['user.password_set', undefined],
      ['user.changed', undefined],
      ['user.changed', []],
    ])
    expect((await of(B)).map(({ action, data }) => [action, data['workspaces']])).toEqual([
      ['user.invited', [B]],
      ['user.password_set', undefined],
      ['user.changed', undefined],
      ['user.changed', [B]],
    ])
    expect((await logged(id)).filter(({ workspace_id }) => ![A, B].includes(workspace_id))).toEqual([])
  })

  it('a change of somebody’s place stands in the logs of the admin’s own workspaces', async () => {
    const person = await addUser(api.deps, { workspaces: [B, A] })
    const before = (await logged(person.id)).length
    expect((await send('annA', 'PATCH', `/admin/users/${person.id}`, { workspaces: [C] })).status).toBe(200)
    const made = (await logged(person.id)).slice(before)
    expect(made.map(({ workspace_id, data }) => [workspace_id, data['workspaces']])).toEqual([
      [A, []],
      [C, [C]],
    ])
  })

  it('a delegate is named in the logs of the workspaces that both are in', async () => {
    const person = await addUser(api.deps, { roles: ['approver'], workspaces: [A, B] })
    const before = (await logged(person.id)).length
    const named = await api.patch('/auth/me', { delegate_to: people.bea.id }, await bearer(api.deps, person))
    expect(named.status).toBe(200)
    const made = (await logged(person.id)).slice(before)
    expect(made.map(({ workspace_id, data }) => [workspace_id, data['delegate_to']])).toEqual([
      [A, undefined],
      [B, people.bea.id],
    ])
  })

  it('a key that is made or revoked stands where it may be used', async () => {
    const robot = await addUser(api.deps, { roles: ['service'], workspaces: [A, B] })
    const header = { ...(await as('owner')), 'x-svc-workspace': C }
    const places = async (workspace_id?: string) => {
      const draft = { name: 'k', account: robot.id, ...(workspace_id && { workspace_id }) }
      const { id } = CreatedApiKey.parse(await (await api.post('/admin/api-keys', draft, header)).json())
      await api.app.request(`/admin/api-keys/${id}`, { method: 'DELETE', headers: header })
      return (await logged(id)).map((each) => [each.action, each.workspace_id])
    }
    expect(await places(B)).toEqual([
      ['api_key.created', B],
      ['api_key.revoked', B],
    ])
    expect(await places()).toEqual([
      ['api_key.created', A],
      ['api_key.created', B],
      ['api_key.revoked', A],
      ['api_key.revoked', B],
    ])
  })

  it('somebody elsewhere is named by no filter of the log', async () => {
    // of the time when she was here
    const draft = { ...runDraft().audit, workspace_id: A, actor: { type: 'user', id: people.bea.id, auth: 'jwt' } }
    await database.db`
      insert into audit_outbox (draft, seq, hash) values (${database.db.json(asJson(draft))}, 1, ${'f'.repeat(64)})`
    const filtered = async (actor: string) =>
      await (await send('viewer', 'GET', `/console/api/audit?actor=${encodeURIComponent(actor)}`)).text()
    expect(await filtered(people.bea.id)).toContain(draft.id)
    expect(await filtered(people.bea.email)).toBe(await filtered('nobody@example.test'))
  })
})

describe('delegates and halts', () => {
  it('nobody elsewhere is a delegate, nor told from nobody', async () => {
    const approver = await addUser(api.deps, { roles: ['approver'], workspaces: [A] })
    const header = { ...(await bearer(api.deps, approver)), 'x-request-id': 'the-same-request' }
    const named = async (id: string) => await bytes(await api.patch('/auth/me', { delegate_to: id }, header), id)
    expect(await named(people.bea.id)).toBe(await named(NOBODY))
    expect((await api.patch('/auth/me', { delegate_to: people.both.id }, header)).status).toBe(200)
  })

  const set = async (who: Who, scope: object) => {
    const answer = await send(who, 'POST', '/console/api/halts', { scope, reason: 'a drill' })
    return { answer, halt: answer.status === 201 ? HaltRecord.parse(await answer.clone().json()) : undefined }
  }
  const haltsOf = async (who: Who) =>
    z.array(HaltRecord).parse(await (await send(who, 'GET', '/console/api/halts')).json())

  it('a halt of one workspace names nobody elsewhere, and its refusal suggests nobody', async () => {
    const asked = async (requester: string) =>
      await bytes((await set('annA', { workspace: A, requester })).answer, requester)
    const none = await asked(NOBODY)
    for (const requester of [people.bea.id, people.bea.email, people.adamB.email])
      expect(await asked(requester)).toBe(none)
    // one letter off the address of somebody
    const near = await (await set('annA', { workspace: A, requester: 'bee@elsewhere.test' })).answer.text()
    expect(near).not.toContain(people.bea.email)
    expect((await set('annA', { workspace: A, requester: people.both.email })).halt?.scope.requester).toBe(
      people.both.id,
    )
    expect((await set('owner', { workspace: A, requester: people.bea.id })).answer.status).toBe(422)
  })

  it('a halt of all workspaces shows what it stops here, and neither who set it nor whom elsewhere it names', async () => {
    const run = await admitTestRun(api, { workspace_id: A })
    await admitTestRun(api, { workspace_id: B })
    const { halt: all } = await set('owner', {})
    const { halt: ofBea } = await set('owner', { requester: people.bea.id })
    const { halt: ofBoth } = await set('owner', { requester: people.both.id })
    if (!all || !ofBea || !ofBoth) throw new Error('no halts')
    expect(all.by.id).toBe(people.owner.id)
    const seen = await haltsOf('viewer')
    expect(idsOf(seen)).toEqual(expect.arrayContaining([all.id, ofBoth.id]))
    expect(idsOf(seen)).not.toContain(ofBea.id)
    expect(seen.find(({ id }) => id === all.id)).toMatchObject({
      by: { type: 'user', id: 'deployment', display: 'an administrator of all workspaces' },
      reason: 'a drill',
      held: { runs: 1 },
    })
    expect((await haltsOf('owner')).find(({ id }) => id === all.id)).toMatchObject({
      by: { id: people.owner.id },
      held: { runs: 2 },
    })
    const verbose = await (await send('viewer', 'GET', '/healthz?verbose=1')).text()
    expect(verbose).toContain(all.id)
    for (const text of [verbose, await (await send('viewer', 'GET', `/runs/${run}`)).text(), JSON.stringify(seen)]) {
      expect(text).not.toContain(people.owner.email)
      expect(text).not.toContain(people.bea.id)
    }

    const none = await bytes(await send('annA', 'DELETE', '/console/api/halts/halt_none'), 'halt_none')
    expect(await bytes(await send('annA', 'DELETE', `/console/api/halts/${ofBea.id}`), ofBea.id)).toBe(none)
    expect(await codeOf(await send('annA', 'DELETE', `/console/api/halts/${all.id}`))).toEqual([403, 'forbidden'])
    const places = async (id: string) => (await logged(id)).map(({ workspace_id }) => workspace_id)
    for (const { id } of [all, ofBea, ofBoth])
      expect((await send('owner', 'DELETE', `/console/api/halts/${id}`)).status).toBe(204)
    expect(await places(all.id)).toEqual([FIRST, FIRST])
    expect(await places(ofBea.id)).toEqual([B, B])
  })

  it('a workspace that is not the caller’s is told by no public page', async () => {
    const { halt } = await set('adamB', { workspace: B, requester: people.bea.id })
    expect(halt?.by.id).toBe(people.adamB.id)
    const asked = async (workspace: string, headers: Record<string, string>) =>
      await bytes(
        await api.get('/healthz?verbose=1', {
          ...headers,
          'x-svc-workspace': workspace,
          'x-request-id': 'the-same-request',
        }),
        workspace,
      )
    const none = 'ws_7zzzzzzzzzzzzzzzzzzzzzzzzz'
    expect(await asked(B, await as('viewer'))).toBe(await asked(none, await as('viewer')))
    expect(await asked(B, await as('viewer'))).not.toContain(people.bea.id)
    const open = (text: string) => text.replaceAll(/"[a-z_]*ms":[\d.]+|"at":"[^"]+"/g, '')
    expect(open(await asked(B, {}))).toBe(open(await asked(none, {})))
  })
})
