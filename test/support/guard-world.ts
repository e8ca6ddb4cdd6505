import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { startModelServer } from '#cli/dev/model-server.ts'
import { KEY_SCOPES } from '#core/api-key/scopes.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type { McpToolsFound } from '#core/mcp/record-schema.ts'
import { createIds } from '#platform/ids.ts'
import { ChannelsFile } from '#platform/notify/channel-kinds.ts'
import type { UserPatch } from '#store/users.ts'
import { createTestApi, NO_CHANNELS, type TestApi } from './api-client.ts'
import { openRemoteStep } from './begin-remote-job.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { guardPolicies } from './guard-policies.ts'
import { createTestInbox } from './inbox.ts'
import { openEnvironments } from './open-environments.ts'
import { endedPipeline, guardBundles, parkPipeline, readyPipeline, startPipeline } from './pipeline-place.ts'
import { createRecordDeps, createRecordEngine } from './record-engine.ts'
import { saveView } from './saved-views.ts'
import { scriptedModels } from './scripted-models.ts'
import { addWorkspace } from './tenants.ts'
import { admitTestRun, finishTestRun, parkTestRun } from './test-runs.ts'
import { addApiKey, addUser, bearer, PASSWORD, SECRET } from './users.ts'

type Headers = Record<string, string>

/** An API with people of every role, a run that has left something behind, and what requests can use up. */
export interface GuardWorld {
  api: TestApi
  database: TestDatabase
  /**
   * The headers of anyone who has the role; `nobody` has none, `stranger` and `stranger admin` are of another workspace alone, `stranger key`
   * is a key of it that may answer gates for people, `disabled` was an owner. `key`
   * and a scope is a key of a service account that may do everything in two workspaces, for the first; `key revoked`, `key expired`.
   */
  as(who: string): Headers
  run: string
  /** a workspace that nobody but admins and owners may enter, and one that is archived */
  other: string
  archived: string
  credentials: Record<string, string>
  name(kind: string): string
  freshOwner(): Promise<Headers>
  /** of the first workspace, unless it is said */
  user(workspace?: string): Promise<string>
  serviceAccount(workspace?: string): Promise<string>
  /** a service account that may answer gates for others */
  answeringAccount(): Promise<string>
  apiKey(): Promise<string>
  queuedRun(): Promise<string>
  parkedRun(workspace?: string): Promise<string>
  gateOf(run: string): Promise<string>
  /** nothing of it has begun, its step `hold` waits to be advanced, its step `act` at a gate, it was cancelled */
  pipeline(state?: 'queued' | 'ready' | 'parked' | 'ended'): Promise<string>
  schedule(): Promise<string>
  /** of a run of its own */
  remoteJob(): Promise<{ id: string; run_id: string }>
  halt(): Promise<string>
  policy(): Promise<string>
  /** its id; of a name that was given before, only the name counts */
  corpus(name?: string): Promise<string>
  /** in a corpus of its own */
  chunk(): Promise<{ id: string; path: string; digest: string }>
  rule(): Promise<string>
  preset(kind: 'config' | 'input'): Promise<string>
  /** of the owner */
  view(): Promise<{ page: string; name: string }>
  environment(): Promise<string>
  connection(): Promise<string>
  /** not authorised yet */
  oauthConnection(): Promise<string>
  /** a connection to an MCP server whose one tool was found, and the digest of that */
  toolServer(auth?: 'none' | 'bearer'): Promise<{ id: string; digest: string }>
  profile(): Promise<string>
  workspace(): Promise<string>
  close(): Promise<void>
}

const ids = createIds()
/** closed, since nothing holds its secret */
const CHANNELS = ChannelsFile.parse([
  { name: 'ops-hook', kind: 'webhook', url: 'https://hooks.example.test/svc', secret: 'env:NOT_SET' },
])

export async function openGuardWorld(
  postgresUrl: string,
  through: (database: TestDatabase) => TestDatabase = (database) => database,
): Promise<GuardWorld> {
  const database = through(await createTestDatabase(postgresUrl))
  const { db } = database
  const { environments, home } = openEnvironments(db)
  const models = await startModelServer()
  const api = await createTestApi(database, {
    secret: SECRET,
    services: { engine: createRecordEngine(createRecordDeps(db, { open: false })) },
    intake: { inbox: createTestInbox(database) },
    channels: { ...NO_CHANNELS, list: () => CHANNELS, get: (name) => CHANNELS.find((each) => each.name === name) },
    content: { environments, policies: guardPolicies(), pipelines: guardBundles(home) },
    models: scriptedModels(models.url),
    // its models are dear
    ask: { SVC_ASK_MAX_USD: '10', SVC_ASK_DAILY_USD: '1000' },
  })
  await db`
    insert into worker_heartbeats (worker_id, lanes, audit_leader, audit_ok, seen_at)
    values ('w', ${['realtime', 'background']}, true, true, now() + interval '1 hour')`
  const [other, archived] = [ids.next('workspace'), ids.next('workspace')]
  await addWorkspace(database, other, 'other')
  await addWorkspace(database, archived, 'archived')
  await db`update workspaces set status = 'archived', archived_at = now(), protected = false where id = ${archived}`
  const people = await addPeople(api, other)
  await addKeys(api, people, other)
  api.deps.authoring.connection_ports.mcp = {
    listTools: async () => ({ tools: [{ name: 'write', inputSchema: { type: 'object' } }], ttl_ms: 0 }),
  }
  // every operation is asked with keys that are not good
  api.deps.logins.key = { take: async () => undefined }
  let names = 0
  const name = (kind: string) => {
    names += 1
    return `${kind}-${names}`
  }
  return {
    api,
    database,
    as: (who) => people.get(who) ?? {},
    run: await finishedRun(api),
    other,
    archived,
    credentials: { username: (await addUser(api.deps)).email, password: PASSWORD },
    name,
    freshOwner: async () => await bearer(api.deps, await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] })),
    user: async (workspace = DEFAULT_WORKSPACE_ID) => (await addUser(api.deps, { workspaces: [workspace] })).id,
    serviceAccount: (workspace) => newServiceAccount(api, workspace),
    answeringAccount: async () => (await addUser(api.deps, { roles: ['service'], scopes: ['approvals:on_behalf'] })).id,
    apiKey: async () => (await addApiKey(api.deps, await newServiceAccount(api))).id,
    queuedRun: () => admitTestRun(api),
    async parkedRun(workspace_id = DEFAULT_WORKSPACE_ID) {
      const id = await admitTestRun(api, { workspace_id })
      await parkTestRun(api, id)
      return id
    },
    async gateOf(run) {
      const [gate] = await db<{ id: string }[]>`select id from gates where run_id = ${run}`
      if (gate === undefined) throw new Error(`${run} has no gate`)
      return gate.id
    },
    pipeline: (state = 'queued') => newPipeline(api, state, people.get('owner') ?? {}),
    schedule: () => newSchedule(api, name('schedule'), people.get('owner') ?? {}),
    environment: () => newSetting(api, 'environments', name('environment'), people.get('owner') ?? {}),
    profile: () => newSetting(api, 'profiles', name('profile'), people.get('owner') ?? {}),
    rule: () => newRule(api, name('rule'), people.get('owner') ?? {}),
    preset: (kind) => newPreset(api, kind, name('preset'), people.get('owner') ?? {}),
    async view() {
      const view = { page: 'gates', name: name('view') }
      const here = { ...people.get('owner'), 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
      await saveView(api, { ...view, search: { risk: 'high' } }, here)
      return view
    },
    policy: () => newPolicy(api, name('policy'), people.get('owner') ?? {}),
    connection: () => newConnection(api, name('connection'), people.get('owner') ?? {}),
    oauthConnection: () => newConnection(api, name('connection'), people.get('owner') ?? {}, OAUTH),
    toolServer: (auth = 'none') => newToolServer(api, name('tools'), auth, people.get('owner') ?? {}),
    corpus: (called = name('corpus')) => newCorpus(api, called, people.get('owner') ?? {}),
    chunk: () => newChunk(api, name('corpus'), people.get('owner') ?? {}),
    remoteJob: async () => await openRemoteStep(db, await admitTestRun(api)),
    halt: () => newHalt(api, people.get('owner') ?? {}),
    workspace: () => newWorkspace(database, name('spare')),
    async close() {
      await api.close()
      environments.close()
      await models.stop()
      rmSync(home, { recursive: true })
      await database.drop()
    },
  }
}

async function addPeople(api: TestApi, other: string): Promise<Map<string, Headers>> {
  const rights: Record<string, UserPatch> = {
    viewer: { roles: ['viewer'] },
    auditor: { roles: ['auditor'] },
    approver: { roles: ['approver'] },
    operator: { roles: ['operator'] },
    admin: { roles: ['admin'], workspaces: ['*'] },
    owner: { roles: ['owner'], workspaces: ['*'] },
    stranger: { roles: ['operator', 'approver'], workspaces: [other] },
    'stranger admin': { roles: ['admin'], workspaces: [other] },
  }
  const people = new Map<string, Headers>()
  for (const [who, patch] of Object.entries(rights))
    people.set(who, await bearer(api.deps, await addUser(api.deps, patch)))
  const gone = await addUser(api.deps, { roles: ['owner'], workspaces: ['*'] })
  people.set('disabled', await bearer(api.deps, gone))
  await api.db`update users set status = 'disabled' where id = ${gone.id}`
  return people
}

async function addKeys(api: TestApi, people: Map<string, Headers>, other: string): Promise<void> {
  const { id } = await addUser(api.deps, {
    roles: ['service', 'admin'],
    scopes: ['approvals:on_behalf'],
    workspaces: [DEFAULT_WORKSPACE_ID, other],
  })
  const all = [...KEY_SCOPES]
  for (const scope of all) {
    const key = await addApiKey(api.deps, id, { scopes: [scope], workspace_id: DEFAULT_WORKSPACE_ID })
    people.set(`key ${scope}`, key.headers)
  }
  const [revoked, expired] = [
    await addApiKey(api.deps, id, { scopes: all }),
    await addApiKey(api.deps, id, { scopes: all }),
  ]
  await api.db`update api_keys set revoked_at = now(), revoked_by = 'usr_local' where id = ${revoked.id}`
  await api.db`
    update api_keys set created_at = now() - interval '2 days', expires_at = now() - interval '1 second' where id = ${expired.id}`
  people.set('key revoked', revoked.headers)
  people.set('key expired', expired.headers)
  const elsewhere = { roles: ['service'], scopes: ['approvals:on_behalf'], workspaces: [other] }
  const answering = await addApiKey(api.deps, (await addUser(api.deps, elsewhere)).id, {
    scopes: ['approvals:on_behalf'],
  })
  people.set('stranger key', answering.headers)
}

async function finishedRun(api: TestApi): Promise<string> {
  const id = await admitTestRun(api)
  const report = {
    id: ids.next('artifact'),
    name: 'report.md',
    media_type: 'text/markdown',
    size_bytes: 1,
    digest: `sha256:${'e'.repeat(64)}`,
    body_base64: 'eA==',
  }
  await finishTestRun(api, id, { step_id: 'act', ordinal: 1, attempt: 1, state: 'succeeded', artifacts: [report] })
  return id
}

async function newServiceAccount(api: TestApi, workspace = DEFAULT_WORKSPACE_ID): Promise<string> {
  return (await addUser(api.deps, { roles: ['service'], workspaces: [workspace] })).id
}

async function newHalt(api: TestApi, headers: Headers): Promise<string> {
  const answer = await api.post(
    '/console/api/halts',
    { scope: { workspace: DEFAULT_WORKSPACE_ID, environment: 'production' }, reason: 'a drill' },
    headers,
  )
  const { id } = (await answer.json()) as { id?: string }
  if (id === undefined) throw new Error(`no halt was set: ${answer.status}`)
  return id
}

async function newPipeline(
  api: TestApi,
  state: NonNullable<Parameters<GuardWorld['pipeline']>[0]>,
  headers: Headers,
): Promise<string> {
  const here = { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  if (state === 'queued') return await startPipeline(api, 'manual', here)
  if (state === 'ready') return await readyPipeline(api, here)
  return state === 'ended' ? await endedPipeline(api, here) : (await parkPipeline(api, here)).id
}

async function newPolicy(api: TestApi, name: string, headers: Headers): Promise<string> {
  const draft = { name, rules: [{ effect: 'require_hitl', reason: 'a person decides' }] }
  const answer = await api.post('/ui/api/policies', draft, { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID })
  if (answer.status !== 201) throw new Error(`no policy was made: ${answer.status}`)
  return name
}

async function newPreset(api: TestApi, kind: string, name: string, headers: Headers): Promise<string> {
  const draft = { pack: 'incident', template: 'service-recovery', name, values: { inputs: { action: 'restart' } } }
  const here = { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const answer = await api.post(`/console/api/${kind}-presets`, draft, here)
  const { id } = (await answer.json()) as { id?: string }
  if (id === undefined) throw new Error(`no preset was made: ${answer.status}`)
  return id
}

const OAUTH = {
  ...{ issuer: 'https://login.example.com', client_id: 'svc', scopes: ['read'] },
  authorization_endpoint: 'https://login.example.com/authorize',
  token_endpoint: 'https://login.example.com/token',
}

async function newConnection(api: TestApi, name: string, headers: Headers, oauth?: typeof OAUTH): Promise<string> {
  const config = { base_url: 'https://api.example.com/v1/', ...oauth }
  const draft = { name, kind: 'http', auth: oauth ? 'oauth2' : 'bearer', config, secret: 'opensesame' }
  const answer = await api.post('/ui/api/connections', draft, headers)
  const { id } = (await answer.json()) as { id?: string }
  if (id === undefined) throw new Error(`no connection was made: ${answer.status}`)
  return id
}

async function newToolServer(api: TestApi, name: string, auth: 'none' | 'bearer', headers: Headers) {
  const config = { url: 'https://tools.example.com/mcp' }
  const draft = { name, kind: 'mcp', auth, config, ...(auth === 'bearer' && { secret: 'opensesame' }) }
  const { id } = (await (await api.post('/ui/api/connections', draft, headers)).json()) as { id: string }
  const answer = await api.post(`/ui/api/connections/${id}/tools`, {}, headers)
  const { tools } = (await answer.json()) as McpToolsFound
  return { id, digest: tools[0]?.definition_digest ?? '' }
}

async function newCorpus(api: TestApi, name: string, headers: Headers): Promise<string> {
  const here = { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const answer = await api.post('/ui/api/knowledge', { name, source: { kind: 'inline' } }, here)
  const { id } = (await answer.json()) as { id?: string }
  if (answer.status === 409) return name
  if (id === undefined) throw new Error(`no corpus was made: ${answer.status}`)
  return id
}

async function newChunk(api: TestApi, name: string, headers: Headers) {
  const id = await newCorpus(api, name, headers)
  const here = { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID }
  const [path, text] = ['database.md', 'Drain the pool first.\n']
  await api.post(`/ui/api/knowledge/${id}/index`, { documents: [{ path, text }] }, here)
  return { id, path, digest: `sha256:${createHash('sha256').update(text).digest('hex')}` }
}

async function newRule(api: TestApi, name: string, headers: Headers): Promise<string> {
  const draft = { name, on: 'alert', match: { service: name }, run: 'incident/service-recovery' }
  const answer = await api.post('/ui/api/triggers', draft, { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID })
  if (answer.status !== 201) throw new Error(`no rule was made: ${answer.status}`)
  return name
}

async function newSetting(api: TestApi, kind: string, name: string, headers: Headers): Promise<string> {
  const answer = await api.post(`/ui/api/${kind}`, { name }, headers)
  if (answer.status !== 201) throw new Error(`no setting was made: ${answer.status}`)
  return name
}

async function newSchedule(api: TestApi, name: string, headers: Headers): Promise<string> {
  const draft = { name, cron: '0 0 1 1 *', pack: 'incident', template: 'service-recovery' }
  const answer = await api.post('/triggers/scheduled', draft, { ...headers, 'x-svc-workspace': DEFAULT_WORKSPACE_ID })
  const { id } = (await answer.json()) as { id?: string }
  if (id === undefined) throw new Error(`no schedule was made: ${answer.status}`)
  return id
}

async function newWorkspace(database: TestDatabase, slug: string): Promise<string> {
  const id = ids.next('workspace')
  await addWorkspace(database, id, slug)
  await database.db`update workspaces set protected = false where id = ${id}`
  return id
}
