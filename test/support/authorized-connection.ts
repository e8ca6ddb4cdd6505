import { addressOf, providerOf } from '#core/connection/kind-schema.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import { type ConnectionBox, createConnectionBox } from '#platform/connection-box.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createOAuthClient, type ProviderTokens } from '#platform/oauth/oauth-client.ts'
import type { OpenPorts } from '#services/connections/open-connection.ts'
import { sealTokens } from '#services/connections/refresh-tokens.ts'
import { createAuthorizationStore } from '#store/connections/authorizations.ts'
import { createConnectionStore } from '#store/connections/connections.ts'
import { createMcpToolStore } from '#store/connections/mcp-tools.ts'
import type { Db } from '#store/db.ts'
import { CLIENT_SECRET, type OauthProvider } from './oauth-provider.ts'
import { ids } from './run-drafts.ts'

export const CALLBACK = 'http://127.0.0.1:9090/oauth/callback'
export const OWNER = { type: 'user', id: 'usr_ann', auth: 'jwt' } as const
const RULES = ['loopback']

export const auditOfConnection = (action: string, id: string) => ({
  ...{ id: ids.next('audit'), ts: '2026-01-05T09:30:00.000Z', category: 'admin' as const, action },
  ...{ workspace_id: DEFAULT_WORKSPACE_ID, actor: OWNER, data: {}, subject: { type: 'connection', id } },
})

export function boxOf(key: string): ConnectionBox {
  const box = createConnectionBox([key])
  if (box === undefined) throw new Error('a ring without keys')
  return box
}

/** What a worker opens connections with. */
export function openPorts(db: Db, box: ConnectionBox): OpenPorts {
  const egress = createEgressClient()
  return {
    ...{
      store: createConnectionStore(db),
      tools: createMcpToolStore(db),
      authorizations: createAuthorizationStore(db),
      box,
      oauth: createOAuthClient(egress),
    },
    ...{ clock: Date.now, ids, egress },
    environments: { get: () => ({ egress: RULES }) },
    log: { error: () => undefined },
    workspaces: { find: async () => ({ slug: 'default' }) as never },
  }
}

/** A connection that a person has authorised at a provider of the tests; `changes` are of its tokens. */
export async function authorizedConnection(
  { db, box, provider }: { db: Db; box: ConnectionBox; provider: OauthProvider },
  { changes = {}, by = OWNER.id }: { changes?: Partial<ProviderTokens>; by?: string } = {},
) {
  const id = ids.next('connection')
  const place = { kind: 'http', auth: 'oauth2', config: provider.config() } as const
  const row = await createConnectionStore(db).create(
    {
      ...{ id, account_id: 'acc_local', name: `n-${id.slice(-8)}`, ...place, author: by },
      ...{ workspaces: ['default'], fingerprint: '0123abcd' },
    },
    await box.seal({ id, version: 1, address: addressOf(place) }, CLIENT_SECRET),
    { most: 200, audit: auditOfConnection('connection.created', id) },
  )
  if (row === undefined) throw new Error('was not made')
  const oauth = createOAuthClient(createEgressClient())
  const client = { provider: providerOf(row), egress: RULES, secret: CLIENT_SECRET }
  const { state, verifier } = oauth.flowSecrets()
  const begun = await oauth.authorizationUrl(client, { state, verifier, redirect_uri: CALLBACK })
  if ('failure' in begun) throw new Error(begun.detail)
  const tokens = await oauth.exchange(client, { state, verifier, callback: await provider.follow(begun.url) })
  if ('failure' in tokens) throw new Error(tokens.detail)
  const authorization = { id: ids.next('authorization'), token_version: 1 }
  const sealed = await sealTokens(box, { ...row, authorization }, { ...tokens, ...changes })
  const flow = {
    ...{ connection_id: id, version: 1, actor: { ...OWNER, id: by }, environment: 'development' },
    ...{ issuer: provider.issuer, redirect_uri: CALLBACK },
  }
  const audit = auditOfConnection('connection.authorized', id)
  if (!(await createAuthorizationStore(db).authorize(flow, { ...sealed, id: authorization.id }, audit)))
    throw new Error('was not authorised')
  return { row, tokens }
}
