import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createRateLimit } from '#api/rate-limit.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createIds } from '#platform/ids.ts'
import { createTestApi } from '#test/support/api-client.ts'
import { codeOf, testAuthApi } from '#test/support/auth-api.ts'
import { testDatabase } from '#test/support/file-fixture.ts'
import { createRecordDeps, createRecordEngine } from '#test/support/record-engine.ts'
import { addWorkspace } from '#test/support/tenants.ts'
import { admitTestRun, parkTestRun } from '#test/support/test-runs.ts'
import { addApiKey, addUser, SECRET, type TestKey } from '#test/support/users.ts'

const OTHER = createIds().next('workspace')
let owner: string

const database = testDatabase()
const api = testAuthApi(database)
beforeAll(async () => {
  await addWorkspace(database, OTHER, 'payments')
  owner = (await api.owner()).id
})
beforeEach(() => api.forget())

const robot = async (rights: Parameters<typeof addUser>[1] = {}) =>
  await addUser(api.deps, { roles: ['service'], invited_by: owner, ...rights })
const start = (key: TestKey, headers: Record<string, string> = {}) =>
  api.post('/packs/incident/service-recovery/run', { inputs: { url: 'x' } }, { ...key.headers, ...headers })

describe('a key', () => {
  test('speaks for its account: what it starts is asked for by key, account and the person behind it', async () => {
    const account = await robot()
    const key = await addApiKey(api.deps, account.id, { scopes: ['runs:start'] })
    const answer = await start(key)
    const { id: run_id } = (await answer.json()) as { id: string }
    expect(answer.status).toBe(202)
    const [run] =
      await database.db`select provenance -> 'actor' as actor, provenance -> 'human_root' as root from runs where id = ${run_id}`
    expect(run).toMatchObject({
      actor: { type: 'service', id: account.id },
      root: { user_id: owner, via: [key.id, account.id, 'api'] },
    })
    const [lost] = await database.db`select lost_standing(r) as why from runs r where id = ${run_id}`
    expect(lost?.['why']).toBeNull()
  })

  test.each([
    [
      'revoked',
      (id: string) => database.db`update api_keys set revoked_at = now(), revoked_by = 'x' where id = ${id}`,
      'key_revoked',
    ],
    [
      'expired',
      (id: string) =>
        database.db`update api_keys set created_at = now() - interval '1 day', expires_at = now() where id = ${id}`,
      'key_expired',
    ],
    [
      'bound elsewhere',
      (id: string) => database.db`update api_keys set workspace_id = ${OTHER} where id = ${id}`,
      'not_in_workspace',
    ],
  ])(
    'that is %s ends the authority of the runs that it started, until an owner answers for them',
    async (_, end, why) => {
      const key = await addApiKey(api.deps, (await robot()).id, { scopes: ['runs:start'] })
      const { id: run_id } = (await (await start(key)).json()) as { id: string }
      await end(key.id)
      const [lost] = await database.db`
      select lost_standing(r) as lost, lost_standing(r, ${[key.id]}) as vouched from runs r where id = ${run_id}`
      expect(lost).toEqual({ lost: { who: key.id, why }, vouched: null })
    },
  )

  test('ends with its account, at once where nobody was remembered', async () => {
    const account = await robot()
    const key = await addApiKey(api.deps, account.id)
    expect((await api.get('/runs', key.headers)).status).toBe(200)
    await database.db`update users set status = 'disabled' where id = ${account.id}`
    expect(await codeOf(await api.get('/runs', key.headers))).toEqual([401, 'unauthenticated'])
    await database.db`update users set status = 'active', roles = '{operator}' where id = ${account.id}`
    expect(await codeOf(await api.get('/runs', key.headers))).toEqual([401, 'unauthenticated'])
  })

  test('of one workspace reads and starts nothing in another that its account may enter', async () => {
    const account = await robot({ workspaces: [DEFAULT_WORKSPACE_ID, OTHER] })
    const bound = await addApiKey(api.deps, account.id, { scopes: ['runs:read', 'runs:start'], workspace_id: OTHER })
    const run = await admitTestRun(api)
    expect((await api.get('/runs', bound.headers)).headers.get('x-total-count')).toBe('0')
    expect(await codeOf(await api.get(`/runs/${run}`, bound.headers))).toEqual([404, 'not_found'])
    for (const headers of [{ 'x-svc-workspace': DEFAULT_WORKSPACE_ID }]) {
      expect(await codeOf(await api.get('/runs', { ...bound.headers, ...headers }))).toEqual([404, 'not_found'])
      expect(await codeOf(await start(bound, headers))).toEqual([404, 'not_found'])
    }
    await database.db`update users set workspaces = ${[DEFAULT_WORKSPACE_ID]} where id = ${account.id}`
    expect(await codeOf(await api.get('/runs', bound.headers))).toEqual([404, 'not_found'])
  })

  test('needs the scope to answer a gate, no matter what its account may', async () => {
    const account = await robot({ scopes: ['approvals:on_behalf'] })
    const reader = await addApiKey(api.deps, account.id, { scopes: ['runs:read', 'runs:start'] })
    const run = await admitTestRun(api)
    const refused = await api.post(`/runs/${run}/resume`, { decision: 'approve' }, reader.headers)
    expect(await refused.json()).toMatchObject({ code: 'forbidden', required_scope: 'approvals:on_behalf' })
    const me = (await (await api.get('/auth/me', reader.headers)).json()) as { id: string }
    expect(me.id).toBe(account.id)
  })

  test('answers for a person whom it names, and never what a key of its account asked for', async () => {
    const engine = createRecordEngine(createRecordDeps(database.db, { open: false }))
    const answering = await createTestApi(database, { secret: SECRET, services: { engine } })
    const account = await robot({ scopes: ['approvals:on_behalf'] })
    const [asks, answers] = [
      await addApiKey(api.deps, account.id, { scopes: ['runs:start'] }),
      await addApiKey(api.deps, account.id, { scopes: ['approvals:on_behalf'] }),
    ]
    const ann = await addUser(api.deps, { roles: ['approver'], answering_accounts: [account.id] })
    const answer = (id: string) =>
      answering.post(`/runs/${id}/resume`, { decision: 'approve', approver: ann.email }, answers.headers)
    const foreign = await admitTestRun(answering)
    await parkTestRun(answering, foreign)
    expect((await answer(foreign)).status).toBe(200)
    const votes = await database.db`select decided_by, via, auth from gate_decisions`
    expect(votes).toEqual([{ decided_by: ann.id, via: account.id, auth: 'api_key' }])

    const { id: own } = (await (await start(asks)).json()) as { id: string }
    await parkTestRun(answering, own)
    expect(await codeOf(await answer(own))).toEqual([403, 'self_approval'])
    await answering.close()
  })

  test('shows public pages what its scope shows, and is nobody else there', async () => {
    const account = await robot()
    const [reads, starts] = [
      await addApiKey(api.deps, account.id),
      await addApiKey(api.deps, account.id, { scopes: ['runs:start'] }),
    ]
    const verbose = async (headers: Record<string, string>) =>
      Object.keys((await (await api.get('/healthz?verbose', headers)).json()) as object)
    expect(await verbose(reads.headers)).toContain('versions')
    expect(await verbose(starts.headers)).not.toContain('versions')
    const status = await (await api.get('/auth/status', starts.headers)).json()
    expect(status).toMatchObject({ enabled: true, authenticated: true })
  })
})

describe('what is refused', () => {
  test('is on record: a key that is not good by its beginning, and what a scope does not cover, reads too', async () => {
    const account = await robot()
    const key = await addApiKey(api.deps, account.id, { scopes: ['runs:start'] })
    expect(await codeOf(await api.get('/runs', key.headers))).toEqual([403, 'forbidden'])
    await database.db`update api_keys set revoked_at = now(), revoked_by = 'x' where id = ${key.id}`
    expect(await codeOf(await api.get('/runs', key.headers))).toEqual([401, 'unauthenticated'])
    await api.settled()
    const guess = `svc_${'g'.repeat(43)}`
    expect(await codeOf(await api.get('/runs', { authorization: `Bearer ${guess}` }))).toEqual([401, 'unauthenticated'])
    await api.settled()
    await api.deps.refusals.flush()
    const drafts = await database.db<{ draft: { action: string; data: object } }[]>`
      select draft from audit_outbox where draft -> 'subject' ->> 'id' in (${key.id}, 'unknown')
        or draft -> 'actor' ->> 'id' = ${account.id} and draft ->> 'action' = 'request.refused' order by id`
    expect(drafts.map(({ draft }) => [draft.action, draft.data])).toEqual([
      ['request.refused', expect.objectContaining({ operation: 'listRuns', required_scope: 'runs:read' })],
      ['api_key.refused', { reason: 'key_revoked', prefix: key.token.slice(0, 12), times: 1 }],
      ['api_key.refused', { reason: 'unknown_key', times: 1 }],
    ])
    expect(JSON.stringify(drafts)).not.toContain('gggg')
  })

  test('is slowed down like signing in: good keys go on', async () => {
    const good = await addApiKey(api.deps, (await robot()).id)
    const limited = await createTestApi(database, { secret: SECRET })
    limited.deps.logins.key = createRateLimit(1)
    const wrong = { authorization: `Bearer svc_${'w'.repeat(43)}` }
    const answers = [
      await limited.get('/runs', wrong),
      await limited.get('/runs', wrong),
      await limited.get('/runs', wrong),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 429])
    expect((await limited.get('/runs', good.headers)).status).toBe(200)
    await limited.close()
  })

  test.each([
    ['one character short', (token: string) => `Bearer ${token.slice(0, -1)}`],
    ['one too many', (token: string) => `Bearer ${token}x`],
    ['another last character', (token: string) => `Bearer ${token.slice(0, -2)}${token.at(-2) === 'A' ? 'BB' : 'AA'}`],
    ['two of them', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['another scheme', (token: string) => `Basic ${token}`],
    ['its digest', () => `Bearer svc_${'0'.repeat(64)}`],
  ])('lets nobody in with %s', async (_, header) => {
    const key = await addApiKey(api.deps, (await robot()).id)
    expect(await codeOf(await api.get('/runs', { authorization: header(key.token) }))).toEqual([401, 'unauthenticated'])
  })

  test('a key is no password, and with authentication off it is nothing', async () => {
    const account = await robot()
    const key = await addApiKey(api.deps, account.id)
    expect((await api.signIn({ username: account.email, password: key.token })).status).toBe(400)
    const open = await createTestApi(database)
    const made = await open.post('/admin/api-keys', { name: 'x', account: account.id })
    expect(await codeOf(made)).toEqual([501, 'not_configured'])
    expect((await open.get('/auth/me', key.headers)).status).toBe(200)
    expect(await (await open.get('/auth/me', key.headers)).json()).toMatchObject({ id: 'usr_local' })
    await open.close()
  })
})
