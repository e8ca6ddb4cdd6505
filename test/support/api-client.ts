import { createHash } from 'node:crypto'
import { createApp } from '#api/app.ts'
import type { ApiDeps } from '#api/deps.ts'
import { createLoginLimits, createRateLimit } from '#api/rate-limit.ts'
import { SEEDED_ENVIRONMENTS } from '#core/environment-defaults.ts'
import type { Clock } from '#core/time.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createIds } from '#platform/ids.ts'
import { createIngressDoor } from '#platform/ingress/ingress-door.ts'
import { createLinks } from '#platform/links.ts'
import { createLocalTokens } from '#platform/local-tokens.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createPasswords, type Passwords } from '#platform/password.ts'
import { createTokens } from '#platform/tokens.ts'
import { createAlertFold } from '#services/alerts/alert-fold.ts'
import { createAuthenticator } from '#services/auth/create-authenticator.ts'
import type { Identity } from '#services/auth/identity.ts'
import { createOpenAuthenticator } from '#services/auth/open-authenticator.ts'
import { NOBODY } from '#services/auth/people.ts'
import { createOutboxPublisher } from '#services/bus/outbox-publisher.ts'
import type { Engine, ServiceDeps } from '#services/context.ts'
import { createHealthCheck } from '#services/health/check-health.ts'
import { createDeploymentReport, type DeploymentPorts } from '#services/health/describe-deployment.ts'
import { createMetricReader } from '#services/metrics/read-metrics.ts'
import { createRefusalFold } from '#services/refusals/fold-refusals.ts'
import { createEventHub, type EventHubOptions } from '#services/runs/watch-events.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { createAlertStore } from '#store/alerts.ts'
import { createApprovalViews } from '#store/approval-views.ts'
import { createArtifactViews } from '#store/artifact-views.ts'
import { createBusLog } from '#store/bus-log.ts'
import { busStanding } from '#store/bus-standing.ts'
import { createDoorbell } from '#store/doorbell.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createGateDecisions } from '#store/gate-decisions.ts'
import { createHaltStore } from '#store/halts.ts'
import { createHealthViews } from '#store/health.ts'
import { createIdempotencyStore } from '#store/idempotency.ts'
import { createIngressDeliveries } from '#store/ingress-deliveries.ts'
import { createLaneFigures } from '#store/lane-figures.ts'
import { listenDoorbell } from '#store/listen-doorbell.ts'
import { createMagicLinks } from '#store/magic-links.ts'
import { createMetricViews } from '#store/metric-views.ts'
import { createNoticeViews } from '#store/notice-views.ts'
import { createRunViews } from '#store/run-views.ts'
import { createRunStore } from '#store/runs.ts'
import { createScheduleStore } from '#store/schedules.ts'
import { createStaleGates } from '#store/stale-gates.ts'
import { createUserStore } from '#store/users.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import type { TestDatabase } from './database.ts'
import { DEVELOPMENT, onePack } from './one-pack.ts'
import { TEST_SEAL } from './record-engine.ts'

export interface TestApiOptions {
  services?: Partial<ServiceDeps>
  reads?: Partial<ApiDeps['reads']>
  hub?: Partial<EventHubOptions>
  pingEngine?: () => Promise<void>
  /** who stands behind a request; everyone is the local owner unless it is given */
  auth?: ApiDeps['auth']
  /** turns authentication on: what signs the tokens */
  secret?: string
  passwords?: Passwords
  /** signs magic links; null where there is none */
  master_key?: string | null
  chat?: Partial<ApiDeps['chat']>
  /** what `/healthz?verbose` looks at */
  deployment?: Partial<DeploymentPorts>
  ingress?: Partial<ApiDeps['ingress']>
  /** keeps deliveries in an inbox; the engine is never known to be away unless it says so */
  intake?: Partial<ApiDeps['intake']>
}

export const TEST_MASTER_KEY = 'a master key of the tests, long enough'

/** The API in process over a real database. The engine is the only thing that is not there. */
export async function createTestApi(database: TestDatabase, options: TestApiOptions = {}) {
  const { db, tenants } = database
  const workspaces = createWorkspaceStore(db)
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = []
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: { ...fields }, message })
  const log = { info: write('info'), warn: write('warn'), error: write('error') }
  const bell = await listenDoorbell(db)
  const doorbell = createDoorbell(db)
  const feed = createEventFeed(db, tenants)
  const runs = createRunStore(db, tenants)
  const afterwards = new Set<Promise<void>>()
  const failures: unknown[] = []
  const hub = createEventHub({ feed, doorbell: bell, onError: (error) => failures.push(error), ...options.hub })
  const clock = options.services?.clock ?? Date.now
  const identity: Identity = {
    users: createUserStore(db),
    passwords: options.passwords ?? createPasswords(),
    tokens:
      options.secret === undefined ? undefined : createTokens({ secret: options.secret, ttl_ms: 3_600_000, clock }),
  }
  const metrics = createMetrics()
  const health = createHealthViews(db)
  const limits = { realtime: 4, background: 2 }
  const packs = options.services?.packs ?? onePack()
  const deps: ApiDeps = {
    version: '0.0.0-test',
    log,
    services: {
      runs,
      decisions: createGateDecisions(db),
      halts: createHaltStore(db),
      engine: createAbsentEngine(),
      packs,
      onAdmission: metrics.admission,
      alertFold: createAlertFold(createAlertStore(db)),
      policies: { effective: () => Promise.reject(new Error('no policies here')) },
      environments: {
        get: (name) => (name === 'development' ? DEVELOPMENT : undefined),
        list: () => SEEDED_ENVIRONMENTS,
        profile: (name) => ({ name, requires_approval: [] }),
        rules: () => [],
      },
      clock: Date.now,
      ids: createIds(),
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      later(work) {
        const one = work()
          .catch((error: unknown) => void failures.push(error))
          .finally(() => afterwards.delete(one))
        afterwards.add(one)
      },
      ring: doorbell.ring,
      hear: bell.hear,
      bus: createOutboxPublisher(createBusLog(db)),
      people: NOBODY,
      open: identity.tokens === undefined,
      sign: TEST_SEAL.sign,
      ...options.services,
    },
    reads: {
      views: createRunViews(tenants),
      feed,
      artifacts: createArtifactViews(tenants),
      approvals: createApprovalViews(tenants),
      stale: createStaleGates(tenants),
      workspaces,
      schedules: { store: createScheduleStore(db, tenants) },
      ...options.reads,
    },
    hub,
    idempotency: createIdempotencyStore(db),
    bodyDigest: (text) => createHash('sha256').update(text).digest('hex'),
    auth: options.auth ?? authOf(identity, clock),
    identity,
    logins: createLoginLimits(),
    workspaces: createWorkspaceDirectory(workspaces, Date.now),
    limiter: createRateLimit(0),
    refusals: createRefusalFold({ runs, ids: createIds(), clock, log }),
    ...(options.master_key === null ? {} : { links: createTestLinks(db, clock, options.master_key) }),
    chat: { gates: createNoticeViews(db), verify: () => 'unknown', open: () => undefined, ...options.chat },
    ingress: {
      door: createIngressDoor({ packs: onePack(), env: {}, egress: createEgressClient(), now: clock }),
      deliveries: createIngressDeliveries(db),
      limit: createRateLimit(0),
      ...options.ingress,
    },
    health: createHealthCheck({ health, pingEngine: options.pingEngine ?? (async () => {}) }),
    describe: createDeploymentReport({
      health,
      limits,
      figures: createLaneFigures(db),
      bus: (workspaceId) => busStanding(db, workspaceId),
      halts: (workspaceId) => createHaltStore(db).list([workspaceId]),
      packs,
      channels: { errors: () => [], secretProblems: () => [] },
      environments: { errors: () => [], list: () => [] },
      policies: { effective: () => Promise.reject(new Error('no policies here')) },
      versions: { svc: '0.0.0-test', node: process.versions.node },
      ...options.deployment,
    }),
    metrics,
    readMetrics: createMetricReader({ metrics, views: createMetricViews(db, 0), health, limits }),
    intake: { away: () => false, ...options.intake },
    loopback_only: identity.tokens === undefined,
  }
  const app = createApp(deps)
  return {
    app,
    db,
    deps,
    runs,
    lines,
    failures,
    ring: doorbell.ring,
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
      hub.close()
      await doorbell.close()
      await bell.close()
    },
  }
}

export type TestApi = Awaited<ReturnType<typeof createTestApi>>

function createTestLinks(
  db: TestDatabase['db'],
  clock: Clock,
  master_key = TEST_MASTER_KEY,
): ApiDeps['links'] & object {
  const signer = createLinks({ master_key, clock })
  return { signer, links: createMagicLinks(db), gates: createNoticeViews(db), secure_cookies: false }
}

function authOf({ tokens, users }: Identity, clock: Clock): ApiDeps['auth'] {
  if (tokens === undefined) return createOpenAuthenticator(createLocalTokens(TEST_MASTER_KEY, clock))
  return createAuthenticator({ tokens, users, clock, cache_ms: 5_000 })
}

function createAbsentEngine(): Engine {
  const absent = () =>
    Promise.reject(Object.assign(new Error('no engine in this test'), { code: 14, details: 'UNAVAILABLE' }))
  return { start: absent, decide: absent, cancel: absent }
}
