import { beforeEach, describe, expect, test } from 'vitest'
import { addressOf, providerOf } from '#core/connection/kind-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createOAuthClient, type ProviderFailure, type ProviderTokens } from '#platform/oauth/oauth-client.ts'
import { openConnection } from '#services/connections/open-connection.ts'
import { refreshDue, sealTokens, type TokenPorts } from '#services/connections/refresh-tokens.ts'
import { resealSecrets } from '#services/connections/reseal-secrets.ts'
import { createAuthorizationStore } from '#store/connections/authorizations.ts'
import { type ConnectionRow, createConnectionStore } from '#store/connections/connections.ts'
import { createMcpToolStore } from '#store/connections/mcp-tools.ts'
import { createDb } from '#store/db.ts'
import { fileFixture, testDatabase } from '#test/support/file-fixture.ts'
import { CLIENT_SECRET, startOauthProvider } from '#test/support/oauth-provider.ts'
import { ids } from '#test/support/run-drafts.ts'
import { boxOf, connectionAudit, storeConnection } from '#test/support/stored-connection.ts'

const CALLBACK = 'http://127.0.0.1:9090/oauth/callback'
const KEY = 'the key of this test; 32 bytes and more'
const [ACTOR, RULES] = [{ type: 'user', id: 'usr_ann', auth: 'jwt' } as const, ['loopback']]

const LOST: ProviderFailure = { failure: 'lost', detail: 'the answer of the provider was lost' }

const database = testDatabase()
/** of a second worker */
const other = fileFixture(() => createDb(database.url, { max: 8 }))
const provider = fileFixture(() => startOauthProvider({ redirect_uri: CALLBACK }))
const oauth = createOAuthClient(createEgressClient())
const box = boxOf(KEY)

beforeEach(async () => {
  provider.state.answers = undefined
  await database.db`delete from connections`
})

/** A connection that a person has authorised at the provider. */
async function authorised(changes: Partial<ProviderTokens> = {}) {
  const draft = { kind: 'http', auth: 'oauth2', config: provider.config() } as const
  const row = await storeConnection(database, draft, { key: KEY, secret: CLIENT_SECRET })
  const client = { provider: providerOf(row), egress: RULES, secret: CLIENT_SECRET }
  const { state, verifier } = oauth.flowSecrets()
  const begun = await oauth.authorizationUrl(client, { state, verifier, redirect_uri: CALLBACK })
  if ('failure' in begun) throw new Error(begun.detail)
  const callback = await provider.follow(begun.url)
  const answer = await oauth.exchange(client, { state, verifier, callback })
  if ('failure' in answer) throw new Error(answer.detail)
  await authorized(row, { ...answer, ...changes })
  return { row, tokens: answer }
}

async function authorized(row: ConnectionRow, answer: ProviderTokens) {
  const found = { id: ids.next('authorization'), token_version: 1 }
  const stored = await createConnectionStore(database.db).find(row.id)
  if (stored === undefined) throw new Error('there is no such connection')
  const sealed = await sealTokens(box, { ...stored, authorization: found }, answer)
  const flow = {
    ...{ connection_id: row.id, version: row.version, actor: ACTOR, environment: 'development' },
    ...{ issuer: provider.issuer, redirect_uri: CALLBACK },
  }
  const kept = await createAuthorizationStore(database.db).authorize(
    flow,
    { ...sealed, id: found.id },
    connectionAudit('connection.authorized', row.id),
  )
  expect(kept).toBe(true)
}

const ports = (db = database.db, changes: Partial<Pick<TokenPorts, 'oauth' | 'authorizations' | 'box'>> = {}) => ({
  ...{
    store: createConnectionStore(db),
    authorizations: createAuthorizationStore(db),
    box,
    oauth,
    clock: Date.now,
    ids,
  },
  ...{
    egress: createEgressClient(),
    tools: createMcpToolStore(database.db),
    environments: { get: () => ({ egress: RULES }) },
    log: { error: () => undefined },
  },
  workspaces: { find: async () => ({ slug: 'default' }) as never },
  ...changes,
})
const open = (row: { id: string }, through = ports()) =>
  openConnection(through, { stored: row.id, kind: 'http', id: 'api', workspaceId: DEFAULT_WORKSPACE_ID })
const tokenOf = (opened: { url: string }) => new URL(opened.url).password
const found = async (id: string) => (await createConnectionStore(database.db).find(id))?.authorization
const actions = async (id: string) =>
  (
    await database.db<{ action: string }[]>`
      select draft ->> 'action' as action from audit_outbox where draft #>> '{subject,id}' = ${id} order by id`
  ).map(({ action }) => action)
/** It is due; and ended unless it is alive. */
const age = async ({ id }: { id: string }, is: 'ended' | 'due') => {
  const expires = is === 'ended' ? '0 seconds' : '10 minutes'
  await database.db`
    update connection_grants set refresh_at = now(), expires_at = now() + ${expires}::interval where connection_id = ${id}`
}
const requests = async (work: () => Promise<unknown>) => {
  const before = provider.state.token_requests
  await work()
  return provider.state.token_requests - before
}

describe('a token', () => {
  test('that is good is used as it is, asks nobody and writes nothing', async () => {
    const { row, tokens } = await authorised()
    const written = async () => [
      await database.db`
        select c.xmin::text, g.xmin::text as of_grant from connections c join connection_grants g on g.connection_id = c.id`,
      await actions(row.id),
    ]
    const before = await written()
    expect(await requests(async () => expect(tokenOf(await open(row))).toBe(tokens.access_token))).toBe(0)
    expect(await written()).toEqual(before)
  })

  test('is refreshed by exactly one of many steps of two workers at the instant when it ends, and none fails', async () => {
    const { row, tokens } = await authorised()
    await age(row, 'ended')
    const opened: string[] = []
    const count = await requests(async () => {
      const all = Array.from({ length: 60 }, (_, n) => open(row, ports(n % 2 === 0 ? database.db : other)))
      opened.push(...(await Promise.all(all)).map(tokenOf))
    })
    expect([count, new Set(opened).size, opened.includes(tokens.access_token)]).toEqual([1, 1, false])
    expect(await found(row.id)).toMatchObject({
      token_version: 2,
      state: 'active',
      alive: true,
      due: false,
      lost: false,
    })
    expect(await actions(row.id)).toEqual(['connection.created', 'connection.authorized', 'connection.refreshed'])
  })

  test('is refreshed before it ends, while the others use it; and again and again', async () => {
    const { row, tokens } = await authorised()
    for (const round of [2, 3, 4]) {
      await age(row, 'due')
      const used = await Promise.all(Array.from({ length: 10 }, () => open(row)))
      expect(new Set(used.map(tokenOf)).size).toBeLessThanOrEqual(2)
      expect((await found(row.id))?.token_version).toBe(round)
    }
    expect(tokenOf(await open(row))).not.toBe(tokens.access_token)
  })

  test('is refreshed by the service itself before a run needs it', async () => {
    const [one, idle] = [await authorised(), await authorised()]
    await age(one.row, 'due')
    expect(await requests(() => refreshDue(ports()))).toBe(1)
    expect([await found(one.row.id), await found(idle.row.id)]).toMatchObject([
      { token_version: 2 },
      { token_version: 1 },
    ])
  })

  test('is due after about four fifths of its life, not all at the same moment', async () => {
    const { row } = await authorised({ expires_in_s: 1_000 })
    const at = async () => {
      await authorized(row, { access_token: 'a', refresh_token: 'r', expires_in_s: 1_000, scopes: ['read'] })
      const [{ share } = { share: 0 }] = await database.db<{ share: number }[]>`
        select extract(epoch from refresh_at - authorized_at)::float8 / 1000 as share from connection_grants where connection_id = ${row.id}`
      return share
    }
    const shares = [await at(), await at(), await at()]
    for (const share of shares) expect(Math.abs(share - 0.8)).toBeLessThan(0.03)
    expect(new Set(shares).size).toBe(3)
  })

  test('is covered for approvers by what a person authorised: a refresh changes nothing, another authorization does', async () => {
    const { row, tokens } = await authorised()
    const before = await open(row)
    await age(row, 'ended')
    const after = await open(row)
    expect([after.covered, after.url === before.url]).toEqual([before.covered, false])
    expect(before.covered).not.toContain(tokens.access_token)
    await authorized(row, tokens)
    expect((await open(row)).covered).not.toBe(before.covered)
  })

  test('without an end is used; without a refresh token it is used until it ends', async () => {
    const { row, tokens } = await authorised({ expires_in_s: undefined, refresh_token: undefined })
    expect(tokenOf(await open(row))).toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({ expires_at: null, refreshable: false, due: false })
    await authorized(row, { ...tokens, expires_in_s: 0, refresh_token: undefined })
    await expect(open(row)).rejects.toMatchObject({ code: 'not_configured', message: expect.stringContaining('again') })
  })

  test('that nobody has authorised is not there', async () => {
    const { row } = await authorised()
    await database.db`delete from connection_grants`
    await expect(open(row)).rejects.toMatchObject({ code: 'not_configured' })
  })

  test('opens with a key that the ring has, is resealed with the others, and for no other connection', async () => {
    const [{ row, tokens }, one] = [await authorised(), await authorised()]
    const ring = boxOf('a new key of this test; 32 bytes and more', KEY)
    const store = createConnectionStore(database.db)
    expect(await resealSecrets({ store, box: ring, ids, clock: Date.now })).toMatchObject({ resealed: 4, left: [] })
    const only = boxOf('a new key of this test; 32 bytes and more')
    expect(tokenOf(await open(row, ports(database.db, { box: only })))).toBe(tokens.access_token)
    await expect(open(row)).rejects.toMatchObject({ code: 'not_configured', message: expect.stringContaining('key') })
    await database.db`
      update connection_grants g set sealed = o.sealed from connection_grants o
      where g.connection_id = ${row.id} and o.connection_id = ${one.row.id}`
    await expect(open(row, ports(database.db, { box: only }))).rejects.toMatchObject({ code: 'not_configured' })
  })
})

describe('a provider', () => {
  test('that took the consent back: the authorization is kept, failed, on record, and its last token used while it lives', async () => {
    const { row, tokens } = await authorised()
    await provider.revoke(tokens.refresh_token ?? '')
    await age(row, 'due')
    expect(tokenOf(await open(row))).toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({ state: 'failed', detail: expect.stringContaining('no longer accepts') })
    expect(await requests(() => open(row))).toBe(0)
    await age(row, 'ended')
    await expect(open(row)).rejects.toMatchObject({ code: 'not_configured', message: expect.stringContaining('again') })
    expect((await actions(row.id)).slice(2)).toEqual(['connection.refresh_failed'])
  })

  test('that is away: the last token is used while it lives, and nobody hammers it', async () => {
    const { row, tokens } = await authorised()
    provider.state.answers = 503
    await age(row, 'due')
    const count = await requests(async () => {
      for (let time = 0; time < 5; time += 1) expect(tokenOf(await open(row))).toBe(tokens.access_token)
    })
    expect([count, await found(row.id)]).toMatchObject([1, { state: 'degraded', detail: 'the provider answers 503' }])
    await database.db`update connection_grants set expires_at = now()`
    await expect(open(row)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    provider.state.answers = undefined
    await age(row, 'ended')
    expect(tokenOf(await open(row))).not.toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({ state: 'active', detail: null })
  })

  test.each([200, 302, 403, 404])('that answers %i in the place of tokens is asked again later', async (status) => {
    const { row, tokens } = await authorised()
    provider.state.answers = status
    await age(row, 'due')
    expect(tokenOf(await open(row))).toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({ state: 'degraded', detail: `the provider answers ${status}` })
    provider.state.answers = undefined
    await age(row, 'ended')
    expect(tokenOf(await open(row))).not.toBe(tokens.access_token)
  })

  test('that cannot be reached is asked again later', async () => {
    const { row, tokens } = await authorised()
    await age(row, 'due')
    const closed = { ...ports(), environments: { get: () => ({ egress: [] }) } }
    expect(tokenOf(await open(row, closed))).toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({
      ...{ state: 'degraded', detail: expect.stringContaining('does not open it') },
    })
    await age(row, 'ended')
    expect(tokenOf(await open(row))).not.toBe(tokens.access_token)
  })

  test('that rotates, and whose answer is lost: the refresh is sent again at once, while the provider still takes the old token', async () => {
    const { row, tokens } = await authorised()
    await age(row, 'due')
    let asked = 0
    const loses: TokenPorts['oauth'] = {
      async refresh(...given) {
        asked += 1
        return asked === 1 ? LOST : await oauth.refresh(...given)
      },
    }
    expect(tokenOf(await open(row, ports(database.db, { oauth: loses })))).not.toBe(tokens.access_token)
    expect([asked, await found(row.id)]).toMatchObject([2, { state: 'active', token_version: 2 }])
  })

  test.each<ProviderFailure>([
    { failure: 'lost', detail: 'lost' },
    { failure: 'unavailable', detail: 'away' },
  ])(
    'whose answer is lost, and then $failure: unknown, and the old token comes back when the access token has ended',
    async (then) => {
      const { row, tokens } = await authorised()
      await age(row, 'due')
      let asked = 0
      const refresh = async () => {
        asked += 1
        return asked === 1 ? LOST : then
      }
      const loses = ports(database.db, { oauth: { refresh } })
      for (let time = 0; time < 3; time += 1) expect(tokenOf(await open(row, loses))).toBe(tokens.access_token)
      expect([asked, await found(row.id)]).toMatchObject([2, { state: 'unknown', detail: LOST.detail, due: false }])
      await database.db`update connection_grants set refresh_at = refresh_at - interval '9 minutes'`
      expect(await found(row.id)).toMatchObject({ due: false })
      expect(await actions(row.id)).toContain('connection.refresh_failed')
      await age(row, 'ended')
      expect(tokenOf(await open(row))).not.toBe(tokens.access_token)
    },
  )

  test('whose tokens end at once is asked once, and not again for a while', async () => {
    const { row } = await authorised()
    await age(row, 'ended')
    let asked = 0
    const hasty: TokenPorts['oauth'] = {
      async refresh() {
        asked += 1
        return { access_token: `t${asked}`, refresh_token: 'r', expires_in_s: 0, scopes: ['read'] }
      },
    }
    const through = ports(database.db, { oauth: hasty })
    for (let time = 0; time < 3; time += 1)
      await expect(open(row, through)).rejects.toMatchObject({ code: 'dependency_unavailable' })
    expect(asked).toBe(1)
  })

  test('that breaks a refresh holds up no other connection', async () => {
    const all = [await authorised(), await authorised(), await authorised()]
    for (const { row } of all) await age(row, 'due')
    const lines: object[] = []
    let asked = 0
    const breaks: TokenPorts['oauth'] = {
      async refresh(...given) {
        asked += 1
        if (asked === 1) throw new Error('broken')
        return await oauth.refresh(...given)
      },
    }
    const log = { error: (fields: object) => void lines.push(fields) }
    await refreshDue({ ...ports(database.db, { oauth: breaks }), log })
    const counts = await Promise.all(all.map(async ({ row }) => (await found(row.id))?.token_version))
    expect([counts.sort(), lines]).toMatchObject([[1, 2, 2], [{ connection: expect.stringMatching(/^conn_/) }]])
  })

  test('that does not know the secret of the client: failed, and good again with the right one', async () => {
    const { row } = await authorised()
    const store = createConnectionStore(database.db)
    const change = async (secret: string, version: number) => {
      const before = await store.find(row.id)
      if (before === undefined) throw new Error('there is no such connection')
      const sealed = await box.seal({ id: row.id, version, address: addressOf(row) }, secret)
      const next = { ...before, version, secret: sealed, keeps_authorization: true, author: 'usr_ann' }
      const [audit, dropped] = [
        connectionAudit('connection.updated', row.id),
        connectionAudit('connection.authorization_dropped', row.id),
      ]
      await store.change(before, next, { audit, dropped })
    }
    await change('wrong', 2)
    await age(row, 'ended')
    await expect(open(row)).rejects.toMatchObject({ code: 'not_configured' })
    expect(await found(row.id)).toMatchObject({ state: 'failed', detail: expect.stringContaining('client') })
    await change(CLIENT_SECRET, 3)
    await open(row)
    expect(await found(row.id)).toMatchObject({ state: 'active', token_version: 2 })
  })
})

describe('a process that ends during a refresh', () => {
  const killed = new Error('killed')
  /** the lease of a process that is gone ends at once */
  const leaseEnds = () => database.db`update connection_grants set refreshing_until = now()`

  test('before the request: the authorization is unknown, its last token is used, and it is refreshed when that has ended', async () => {
    const { row, tokens } = await authorised()
    await age(row, 'due')
    const dies = ports(database.db, { oauth: { refresh: () => Promise.reject(killed) } })
    await expect(open(row, dies)).rejects.toBe(killed)
    expect(tokenOf(await open(row))).toBe(tokens.access_token)
    await leaseEnds()
    expect(await requests(async () => expect(tokenOf(await open(row))).toBe(tokens.access_token))).toBe(0)
    expect(await found(row.id)).toMatchObject({ state: 'unknown', lost: false, due: false })
    await age(row, 'ended')
    expect(tokenOf(await open(row))).not.toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({ state: 'active', token_version: 2 })
    expect((await actions(row.id)).slice(2)).toEqual(['connection.refresh_lost', 'connection.refreshed'])
  })

  test('after the provider has rotated: the authorization is kept, unknown while its last token lives, then failed', async () => {
    const { row, tokens } = await authorised()
    await age(row, 'due')
    const dies: TokenPorts['oauth'] = {
      async refresh(...given) {
        await oauth.refresh(...given)
        throw killed
      },
    }
    await expect(open(row, ports(database.db, { oauth: dies }))).rejects.toBe(killed)
    await leaseEnds()
    expect(tokenOf(await open(row))).toBe(tokens.access_token)
    expect(await found(row.id)).toMatchObject({ state: 'unknown' })
    await age(row, 'ended')
    await expect(open(row)).rejects.toMatchObject({ code: 'not_configured' })
    expect(await found(row.id)).toMatchObject({ state: 'failed' })
  })

  test('after it has stored them: the next one uses the new tokens', async () => {
    const { row } = await authorised()
    await age(row, 'ended')
    const authorizations = createAuthorizationStore(database.db)
    const dies = {
      ...authorizations,
      async refreshed(...given: Parameters<typeof authorizations.refreshed>) {
        await authorizations.refreshed(...given)
        // what follows is a read of the row
        throw killed
      },
    }
    await open(row, ports(database.db, { authorizations: dies })).catch(() => undefined)
    expect(await requests(() => open(row))).toBe(0)
    expect(await found(row.id)).toMatchObject({ state: 'active', token_version: 2 })
  })

  test('or is overtaken: late tokens are stored, a late failure is dropped, and who comes second uses what is there', async () => {
    const { row } = await authorised()
    await age(row, 'ended')
    const store = createConnectionStore(database.db)
    const overtaken: TokenPorts['oauth'] = {
      async refresh() {
        // another has refreshed in the meantime
        const now = await store.find(row.id)
        if (now?.authorization) await storedTokens(row.id, now.authorization)
        return { failure: 'invalid_grant', detail: 'the provider no longer accepts what was authorised' }
      },
    }
    expect(tokenOf(await open(row, ports(database.db, { oauth: overtaken })))).toBe('the-other')
    expect(await found(row.id)).toMatchObject({ state: 'active', token_version: 2 })
  })

  /** Tokens that another process has stored. */
  async function storedTokens(id: string, authorization: { id: string; token_version: number }) {
    const stored = await createConnectionStore(database.db).find(id)
    if (stored === undefined) throw new Error('there is no such connection')
    const next = { id: authorization.id, token_version: authorization.token_version + 1 }
    const answer = { access_token: 'the-other', refresh_token: 'r', expires_in_s: 3_600, scopes: ['read'] }
    const sealed = await sealTokens(box, { ...stored, authorization: next }, answer)
    await createAuthorizationStore(database.db).refreshed(
      id,
      authorization,
      sealed,
      connectionAudit('connection.refreshed', id),
    )
  }

  test('while the database is away: new tokens are stored when it is back, and not used before', async () => {
    const { row, tokens } = await authorised()
    await age(row, 'ended')
    const authorizations = createAuthorizationStore(database.db)
    let fails = 1
    const ailing = {
      ...authorizations,
      async refreshed(...given: Parameters<typeof authorizations.refreshed>) {
        fails -= 1
        if (fails >= 0) throw new Error('the database is away')
        return await authorizations.refreshed(...given)
      },
    }
    await expect(open(row, ports(database.db, { authorizations: ailing }))).rejects.toMatchObject({
      code: 'dependency_unavailable',
    })
    const count = await requests(async () => expect(tokenOf(await open(row))).not.toBe(tokens.access_token))
    expect([count, await found(row.id)]).toMatchObject([0, { state: 'active', token_version: 2 }])
  })
})
