import { createOperators } from '#activities/operators/index.ts'
import type { ApiParts } from '#api/api-parts.ts'
import { createApp } from '#api/app.ts'
import { createApiDeps } from '#api/create-api-deps.ts'
import type { ApiDeps } from '#api/deps.ts'
import { SEEDED_ENVIRONMENTS } from '#core/environment/defaults.ts'
import { DomainError } from '#core/errors.ts'
import { EMPTY_LAYER } from '#core/policy/layer.ts'
import { loadConfig } from '#platform/config.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createMailer } from '#platform/mail/send-mail.ts'
import type { ModelSource } from '#platform/models/model-source.ts'
import { templatesByName } from '#platform/packs/loaded-pack.ts'
import type { Passwords } from '#platform/password.ts'
import { createPipelineSource } from '#platform/pipelines/pipeline-source.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import type { Engine } from '#services/context.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { type AskDb, createAskDb } from '#store/ask/ask-db.ts'
import { askUrl } from '#store/make-app-role.ts'
import { createRunNotifier, listenForRuns } from '#store/runs/listen-for-runs.ts'
import { createSessionLocks } from '#store/sql/session-locks.ts'
import type { TestDatabase } from './database.ts'
import { holdToDescription } from './described-answers.ts'
import { fileFixture } from './file-fixture.ts'
import { DEVELOPMENT, onePack } from './one-pack.ts'

export interface TestApiOptions extends Partial<Pick<ApiParts, 'hub' | 'channels' | 'env' | 'egress'>> {
  /** ports of the verbs, in place of the product's own */
  services?: Partial<ServiceDeps>
  reads?: Partial<ApiDeps['reads']>
  pingEngine?: () => Promise<void>
  /** who stands behind a request; everyone is the local owner unless it is given */
  auth?: ApiDeps['auth']
  /** turns authentication on: what signs the tokens */
  secret?: string
  passwords?: Passwords
  /** signs magic links; null where there is none */
  master_key?: null
  /** false where agents are offered nothing */
  mcp?: false
  /** what `/healthz?verbose` looks at */
  content?: Partial<Omit<ApiParts['content'], 'policies' | 'environments'>> & {
    policies?: Partial<ApiParts['content']['policies']>
    environments?: Partial<ApiParts['content']['environments']>
  }
  files?: ApiParts['files']
  /** where folders of corpora, and packs beside those that ship, lie */
  places?: { SVC_KNOWLEDGE_DIR?: string; SVC_PACKS_DIR?: string }
  /** none unless they are given */
  models?: ReturnType<ModelSource['bound']> | Pick<ModelSource, 'bound'>
  /** where the ask agent reads; the product's own unless it is given, null where there is nothing */
  ask_reads?: AskDb | null
  /** settings of the ask agent, in the place of the defaults; nobody is held back */
  ask?: Record<string, string>
  /** keeps deliveries in an inbox; the engine is never known to be away unless it says so */
  intake?: Partial<ApiDeps['intake']>
}

export const TEST_MASTER_KEY = 'a master key of the tests, long enough'

/** The API as the product builds it, in process over a real database. The engine and the files are the only things that are not there. */
export async function createTestApi(database: TestDatabase, options: TestApiOptions = {}) {
  const { db, tenants } = database
  const { clock = Date.now, ids, engine, later: _later, ...services } = options.services ?? {}
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message })
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const notifications = await listenForRuns(db)
  const locks = createSessionLocks(database.url, 'test-locks')
  const notifier = createRunNotifier(db)
  const afterwards = new Set<Promise<void>>()
  const failures: unknown[] = []
  const fail = (error: unknown) => void failures.push(error)
  const askReads = options.ask_reads === undefined ? createAskDb(askUrl(database.url)) : options.ask_reads
  const egress = options.egress ?? createEgressClient()
  const deps = createApiDeps(settings(options), {
    ...{ version: '0.0.0-test', log, db, tenants, notifications, notifier, clock, ids, late_ms: 0 },
    env: options.env ?? {},
    content: contentOf(noFiles(services.packs ?? onePack()), options.content),
    channels: options.channels ?? NO_CHANNELS,
    models: modelsOf(options.models),
    ...(askReads && { ask_reads: askReads }),
    locks,
    operators: createOperators({ egress, mail: createMailer(), s3: createS3Client(egress) }),
    ...(options.files && { files: options.files }),
    engine: { ...(engine ?? createAbsentEngine()), reachable: options.pingEngine ?? (async () => {}) },
    pipelines: { begin: async () => {}, restart: async () => undefined, wake: async () => false },
    egress,
    hub: { onError: fail, ...options.hub },
    intake: { away: () => false, ...options.intake },
    later(work) {
      const one = work()
        .catch(fail)
        .finally(() => afterwards.delete(one))
      afterwards.add(one)
    },
  })
  Object.assign(deps.services, services)
  Object.assign(deps.reads, options.reads)
  if (options.auth !== undefined) deps.auth = options.auth
  if (options.passwords !== undefined) deps.identity.passwords = options.passwords
  const app = createApp(deps)
  const undescribed: Error[] = []
  holdToDescription(app, deps, (difference) => {
    undescribed.push(difference)
    fail(difference)
  })
  return {
    app,
    db,
    deps,
    runs: deps.services.runs,
    lines,
    failures,
    notifyRun: notifier.notify,
    get: async (path: string, headers: Record<string, string> = {}) => app.request(path, { headers }),
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) =>
      app.request(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    /** resolves when what goes on after answers is done */
    async settled() {
      await Promise.all(afterwards)
    },
    async close() {
      await Promise.all(afterwards)
      await deps.refusals.close()
      deps.models.leases.close()
      deps.models.models.close()
      deps.hub.close()
      deps.pipeline_hub.close()
      await askReads?.end()
      await locks.close()
      await notifier.close()
      await notifications.close()
      if (undescribed[0] !== undefined) throw undescribed[0]
    },
  }
}

function modelsOf(given: TestApiOptions['models'] = { models: [], roles: {} }): Pick<ModelSource, 'bound'> {
  return 'bound' in given ? given : { bound: () => given }
}

export type TestApi = Awaited<ReturnType<typeof createTestApi>>

/** An API for the tests of a file; options that ask for what is open by then are a function. */
export const testApi = (
  database: TestDatabase,
  options: TestApiOptions | (() => TestApiOptions | Promise<TestApiOptions>) = {},
): TestApi =>
  fileFixture(async () => createTestApi(database, typeof options === 'function' ? await options() : options))

function settings({ secret, master_key, mcp, ask, places, env }: TestApiOptions) {
  return loadConfig({
    ...env,
    ...places,
    SVC_RATE_LIMIT: '0',
    SVC_TOKEN_TTL_MINUTES: '60',
    SVC_ASK_TURNS_PER_MINUTE: '0',
    ...ask,
    ...(mcp === false ? {} : { OBS_OPS_MCP: '1' }),
    ...(master_key === null ? {} : { SVC_SECRET_KEY: TEST_MASTER_KEY }),
    ...(secret !== undefined && { OBS_JWT_SECRET: secret }),
  })
}

export const NO_CHANNELS: ApiParts['channels'] = {
  get: () => undefined,
  list: () => [],
  secret: () => '',
  errors: () => [],
  secretProblems: () => [],
}

function contentOf(base: ApiParts['content'], given: TestApiOptions['content'] = {}): ApiParts['content'] {
  return {
    ...base,
    ...given,
    policies: { ...base.policies, ...given.policies },
    environments: { ...base.environments, ...given.environments },
  }
}

/** A deployment with packs and an environment for development, and no files beside them. */
function noFiles(packs: ServiceDeps['packs']): ApiParts['content'] {
  return {
    packs,
    policies: {
      effective: () => Promise.reject(new Error('no policies here')),
      layers: async () => ({ pack: EMPTY_LAYER, overlay: EMPTY_LAYER, console: EMPTY_LAYER }),
      invalidate: () => {},
    },
    environments: {
      get: (name) => (name === 'development' ? DEVELOPMENT : undefined),
      list: () => SEEDED_ENVIRONMENTS,
      profile: (name) => ({ name, requires_approval: [] }),
      profiles: () => [],
      rules: () => [],
      errors: () => [],
      composed: noSettings,
      composedProfile: noSettings,
      layers: noSettings,
      reloadConsole: noSettings,
    },
    schedules: { declaredSchedules: () => [], errors: () => [] },
    skills: { list: () => [], errors: () => [] },
    pipelines: createPipelineSource({ roots: () => [], templates: () => templatesByName(packs.list()) }),
  }
}

/** A test of them brings `openEnvironments`. */
function noSettings(): never {
  throw new Error('no environments to be authored here')
}

/** An engine that takes starts and nothing that is decided. */
export const startingEngine = (start: Engine['start'] = async () => {}): Engine => ({
  start,
  decide: () => Promise.reject(new DomainError('internal', 'not here')),
  cancel: async () => {},
  alive: async () => true,
})

function createAbsentEngine(): Engine {
  const absent = () =>
    Promise.reject(Object.assign(new Error('no engine in this test'), { code: 14, details: 'UNAVAILABLE' }))
  return { start: absent, decide: absent, cancel: absent, alive: absent }
}
