import { createHash, createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createOperators } from '#activities/operators/index.ts'
import type { Operator } from '#core/operator.ts'
import { extendCatalog } from '#core/operator-catalog.ts'
import type { Config } from '#platform/config.ts'
import { isLoopback } from '#platform/config-schema.ts'
import { createDeploymentContent } from '#platform/deployment-content.ts'
import { deriveKey } from '#platform/derive-key.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createIngressDoor } from '#platform/ingress/ingress-door.ts'
import { ingressProblems } from '#platform/ingress/ingress-problems.ts'
import { createLinks } from '#platform/links.ts'
import { createLocalTokens } from '#platform/local-tokens.ts'
import type { Logger } from '#platform/logger.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createChannelSource } from '#platform/notify/channel-source.ts'
import { createChatDoor } from '#platform/notify/chat-door.ts'
import { createPasswords } from '#platform/password.ts'
import { createTemporalSchedules } from '#platform/schedules/temporal-schedules.ts'
import { createSecretBox } from '#platform/secret-box.ts'
import { connectTemporal } from '#platform/temporal/connect.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import { readTemporalTarget } from '#platform/temporal/temporal-connection.ts'
import { watchReachability } from '#platform/temporal/watch-reachability.ts'
import { createTokens } from '#platform/tokens.ts'
import type { Authenticator } from '#services/auth/authenticator.ts'
import { createAuthenticator } from '#services/auth/create-authenticator.ts'
import { ensureFirstOwner, type FirstOwnerPorts } from '#services/auth/ensure-first-owner.ts'
import type { Identity } from '#services/auth/identity.ts'
import { createOpenAuthenticator } from '#services/auth/open-authenticator.ts'
import type { ServiceDeps } from '#services/context.ts'
import { createServiceDeps } from '#services/create-service-deps.ts'
import { createHealthCheck } from '#services/health/check-health.ts'
import { createDeploymentReport } from '#services/health/describe-deployment.ts'
import { alertDelivery } from '#services/inbox/alert-delivery.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import type { FaultPoint, Inbox } from '#services/inbox/inbox-route.ts'
import { ingressDelivery } from '#services/inbox/ingress-delivery.ts'
import { manualDelivery } from '#services/inbox/manual-delivery.ts'
import { patternDelivery } from '#services/inbox/pattern-delivery.ts'
import { createMetricReader } from '#services/metrics/read-metrics.ts'
import { createRefusalFold } from '#services/refusals/fold-refusals.ts'
import { createEventHub } from '#services/runs/watch-events.ts'
import { scheduleProblems } from '#services/schedules/schedule-problems.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { createApprovalViews } from '#store/approval-views.ts'
import { createArtifactViews } from '#store/artifact-views.ts'
import { busStanding } from '#store/bus-standing.ts'
import { createConsolePolicies } from '#store/console-policies.ts'
import { createDb, type Db } from '#store/db.ts'
import { createDoorbell } from '#store/doorbell.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createHealthViews } from '#store/health.ts'
import { createIdempotencyStore } from '#store/idempotency.ts'
import { createInboxStore } from '#store/inbox.ts'
import { createIngressDeliveries } from '#store/ingress-deliveries.ts'
import { createLaneFigures } from '#store/lane-figures.ts'
import { listenDoorbell } from '#store/listen-doorbell.ts'
import { tryLease } from '#store/lock.ts'
import { createMagicLinks } from '#store/magic-links.ts'
import { createMetricViews } from '#store/metric-views.ts'
import { createNoticeViews } from '#store/notice-views.ts'
import { createRunViews } from '#store/run-views.ts'
import { createScheduleStore } from '#store/schedules.ts'
import { createStaleGates } from '#store/stale-gates.ts'
import { createTenantDb, type TenantDb } from '#store/tenant-db.ts'
import { createUserStore } from '#store/users.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import { createApp } from './app.ts'
import type { ApiDeps } from './deps.ts'
import { createInboxLoop } from './inbox-loop.ts'
import { createLoginLimits, createRateLimit } from './rate-limit.ts'
import { type ApiServer, serveApi } from './server.ts'
import { toDomainError } from './to-domain-error.ts'

export type ApiConfig = Config & { databaseUrl: string; temporal: { address: string } }

export interface ApiRuntimeOptions {
  /** operators beside the built-in ones */
  operators?: Operator[]
  /** the variables that secret references name */
  env?: Record<string, string | undefined>
  /** dies at a named point: for fault tests */
  fault?: (point: FaultPoint) => void
}

/** deliveries of one source */
const INGRESS_PER_S = 50

/** Builds everything an API process consists of and serves it. */
export async function startApiRuntime(
  config: ApiConfig,
  log: Logger,
  options: ApiRuntimeOptions = {},
): Promise<ApiServer & { services: ServiceDeps }> {
  const db = createDb(config.databaseUrl, { max: 12, name: 'svc-api' })
  const tenants = createTenantDb(config.databaseUrl, { max: 10, name: 'svc-api-reads' })
  const workspaces = createWorkspaceStore(db)
  const identity = createIdentity(config, db)
  const doorbell = createDoorbell(db)
  const [bell, client] = await Promise.all([listenDoorbell(db), connect(config.temporal)])
  const engine = createEngine(client)
  const pending = createPending(log)
  const content = createDeploymentContent({
    config,
    operators: extendCatalog(createOperators({ egress: createEgressClient() }), options.operators ?? []),
    consolePolicies: createConsolePolicies(db).list,
    log,
  })
  const metrics = createMetrics()
  const health = createHealthViews(db)
  const services = createServiceDeps(config, {
    db,
    tenants,
    content,
    engine,
    ring: doorbell.ring,
    hear: bell.hear,
    later: pending.run,
    onAdmission: metrics.admission,
  })
  const feed = createEventFeed(db, tenants)
  const onError = (error: unknown) => log.warn({ err: error }, 'events could not be read; streams wait')
  const hub = createEventHub({ feed, doorbell: bell, onError })
  const channels = createChannelSource({ home: config.home, log, env: options.env ?? {} })
  const gates = createNoticeViews(db)
  const directory = createWorkspaceDirectory(workspaces, Date.now)
  const reachability = watchReachability({ ping: engine.reachable, log })
  const inbox = config.inbox.durable ? openInbox(config, { db, tenants, fault: options.fault }) : undefined
  const inboxLoop =
    inbox &&
    createInboxLoop({
      lead: (onLost) => tryLease(config.databaseUrl, 'inbox', onLost),
      drain: (leading) =>
        drainInbox({ services, workspaces: directory, inbox, may_go_on: () => leading() && !reachability.away() }),
      away: reachability.away,
      log,
    })
  if (inbox && inboxLoop) inbox.wake = inboxLoop.wake
  const refusals = createRefusalFold({ runs: services.runs, ids: services.ids, clock: Date.now, log })
  const app = createApp({
    version: packageVersion(),
    log,
    services,
    reads: {
      views: createRunViews(tenants),
      feed,
      artifacts: createArtifactViews(tenants),
      approvals: createApprovalViews(tenants),
      stale: createStaleGates(tenants),
      workspaces,
      schedules: { store: createScheduleStore(db, tenants), engine: createTemporalSchedules(client) },
    },
    hub,
    idempotency: createIdempotencyStore(db),
    bodyDigest: createBodyDigest(config.secretKey),
    auth: createAuth(identity, config),
    identity,
    logins: createLoginLimits(),
    workspaces: directory,
    limiter: createRateLimit(config.auth.jwtSecret === undefined ? 0 : config.auth.rateLimit),
    ...approvalLinks(config, db),
    chat: { gates, ...createChatDoor({ channels, egress: createEgressClient(), now: Date.now }) },
    ingress: {
      door: createIngressDoor({
        packs: content.packs,
        env: options.env ?? {},
        egress: createEgressClient(),
        now: Date.now,
      }),
      deliveries: createIngressDeliveries(db),
      limit: createRateLimit(INGRESS_PER_S),
    },
    health: createHealthCheck({ health, pingEngine: engine.reachable }),
    describe: createDeploymentReport({
      ...content,
      channels,
      health,
      figures: createLaneFigures(db),
      bus: (workspaceId) => busStanding(db, workspaceId),
      limits: config.lanes,
      halts: (workspaceId) => services.halts.list([workspaceId]),
      scheduleProblems: (workspaceId) => scheduleProblems({ ...content, clock: Date.now }, workspaceId),
      ingressProblems: (workspaceId) => ingressProblems(content.packs.list(), workspaceId, options.env ?? {}),
      versions: { svc: packageVersion(), node: process.versions.node },
    }),
    metrics,
    refusals,
    readMetrics: createMetricReader({ metrics, views: createMetricViews(db), health, limits: config.lanes }),
    intake: { away: reachability.away, ...(inbox && { inbox }) },
    loopback_only: isLoopback(config.host) && config.auth.jwtSecret === undefined,
  })
  if (identity.tokens !== undefined) await makeFirstOwner(config, { ...services, ...identity }, log)
  const server = await serveApi(app, { host: config.host, port: config.port, ids: services.ids, onDrain: hub.close })
  inboxLoop?.start()
  return {
    url: server.url,
    services,
    async close() {
      await server.close()
      await refusals.close()
      reachability.close()
      await inboxLoop?.stop()
      await pending.settled()
      await doorbell.close()
      await bell.close()
      content.close()
      channels.close()
      await tenants.end()
      await db.end({ timeout: 2 })
      await client.connection.close()
    },
  }
}

/** Where deliveries are kept until they are processed. Bodies are sealed where there is a master key. */
function openInbox(
  { secretKey }: ApiConfig,
  { db, tenants, fault }: { db: Db; tenants: TenantDb; fault: ApiRuntimeOptions['fault'] },
): Inbox {
  return {
    items: createInboxStore(db, tenants),
    routes: [alertDelivery, patternDelivery, manualDelivery, ingressDelivery],
    ...(secretKey === undefined ? {} : { box: createSecretBox(secretKey) }),
    toDomainError,
    wake: () => undefined,
    fault: fault ?? (() => undefined),
  }
}

function createIdentity(config: ApiConfig, db: Db): Identity {
  const { jwtSecret: secret, tokenTtlMs: ttl_ms } = config.auth
  return {
    users: createUserStore(db),
    passwords: createPasswords(),
    tokens: secret === undefined ? undefined : createTokens({ secret, ttl_ms, clock: Date.now }),
  }
}

/** Without tokens everyone is the local owner. */
function createAuth({ tokens, users }: Identity, { secretKey }: ApiConfig): Authenticator {
  if (tokens === undefined)
    return createOpenAuthenticator(secretKey === undefined ? undefined : createLocalTokens(secretKey, Date.now))
  return createAuthenticator({ tokens, users, clock: Date.now, cache_ms: 1_000 })
}

async function makeFirstOwner(config: ApiConfig, ports: FirstOwnerPorts, log: Logger): Promise<void> {
  const { admin } = config.auth
  if (admin === undefined) return
  const outcome = await ensureFirstOwner(ports, admin)
  if (outcome === 'created') log.info({ email: admin.email }, 'the first owner was made; unset SVC_ADMIN_PASSWORD')
  if (outcome === 'email_taken') log.warn({ email: admin.email }, 'no owner was made: somebody else has this address')
}

/** Without a master key nothing can be signed, so there are no links. */
function approvalLinks({ secretKey, publicUrl }: ApiConfig, db: ReturnType<typeof createDb>): Pick<ApiDeps, 'links'> {
  if (secretKey === undefined) return {}
  const signer = createLinks({ master_key: secretKey, clock: Date.now })
  const secure_cookies = publicUrl.startsWith('https:')
  return { links: { signer, links: createMagicLinks(db), gates: createNoticeViews(db), secure_cookies } }
}

function createBodyDigest(masterKey: string | undefined): (text: string) => string {
  if (masterKey === undefined) return (text) => createHash('sha256').update(text).digest('hex')
  const key = deriveKey(masterKey, 'idempotency')
  return (text) => createHmac('sha256', key).update(text).digest('hex')
}

/** Work that goes on after its answer was sent. */
function createPending(log: Logger) {
  const running = new Set<Promise<void>>()
  return {
    run(work: () => Promise<void>): void {
      const one = work()
        .catch((error: unknown) => log.warn({ err: error }, 'work after an answer failed; a sweep repeats it'))
        .finally(() => running.delete(one))
      running.add(one)
    },
    async settled(): Promise<void> {
      await Promise.all(running)
    },
  }
}

async function connect(temporal: ApiConfig['temporal']) {
  try {
    return await connectTemporal(await readTemporalTarget(temporal))
  } catch (cause) {
    throw new Error(`Temporal does not answer at ${temporal.address}. Start it, or set TEMPORAL_ADDRESS.`, { cause })
  }
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const known =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined
  return String(known ?? '0.0.0')
}
