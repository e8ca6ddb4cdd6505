import { readFileSync } from 'node:fs'
import { createOperators } from '#activities/operators/index.ts'
import { extendCatalog, type Operator } from '#core/operator.ts'
import { followDeployment } from '#platform/check/follow-deployment.ts'
import type { Config } from '#platform/config.ts'
import { type ConsoleSource, openConsole } from '#platform/console/open-console.ts'
import { createDeploymentContent, readDefaultPolicies } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { holderName } from '#platform/ids.ts'
import type { Logger } from '#platform/logger.ts'
import { createMailer } from '#platform/mail/send-mail.ts'
import { createModelSource } from '#platform/models/model-source.ts'
import { createChannelSource } from '#platform/notify/channel-source.ts'
import { packDirs, SHIPPED } from '#platform/packs/pack-registry.ts'
import { awaitReadiness } from '#platform/program/await-readiness.ts'
import { releaseAll } from '#platform/program/release-all.ts'
import { watchRelease } from '#platform/program/watch-release.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { createTemporalSchedules } from '#platform/schedules/temporal-schedules.ts'
import { connectTemporal } from '#platform/temporal/connect.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import { createPipelineWorkflows } from '#platform/temporal/pipeline-workflows.ts'
import { createRemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import { readTemporalTarget } from '#platform/temporal/temporal-connection.ts'
import { temporalReadiness } from '#platform/temporal/temporal-readiness.ts'
import { watchReachability } from '#platform/temporal/watch-reachability.ts'
import { ensureFirstOwner, type FirstOwnerPorts } from '#services/auth/ensure-first-owner.ts'
import { drainInbox } from '#services/inbox/drain-inbox.ts'
import type { FaultPoint } from '#services/inbox/inbox-route.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { writePending } from '#services/write-with-retry.ts'
import { createAskDb } from '#store/ask/ask-db.ts'
import { readConsoleSettings } from '#store/authored/console-documents.ts'
import { createConsolePolicies } from '#store/authored/policy-documents.ts'
import { createDb } from '#store/db.ts'
import { createLeases } from '#store/leases.ts'
import { askUrl } from '#store/make-app-role.ts'
import { createRunNotifier, listenForRuns } from '#store/runs/listen-for-runs.ts'
import { thisRelease } from '#store/schema-problem.ts'
import { readOldestRelease, schemaReadiness } from '#store/schema-readiness.ts'
import { createDatabaseClock } from '#store/sql/database-clock.ts'
import { createSessionLocks } from '#store/sql/session-locks.ts'
import { createTenantDb } from '#store/tenant-db.ts'
import { createApp } from './app.ts'
import { createApiDeps } from './create-api-deps.ts'
import { createInboxLoop } from './inbox-loop.ts'
import { openInbox } from './open-inbox.ts'
import { type ApiServer, serveApi } from './server.ts'

export type ApiConfig = Config & { databaseUrl: string; temporal: { address: string } }

export interface ApiRuntimeOptions {
  /** operators beside the built-in ones */
  operators?: Operator[]
  /** the variables that secret references name */
  env?: Record<string, string | undefined>
  /** dies at a named point: for fault tests */
  fault?: (point: FaultPoint, content?: string) => void
  /** ends this process in good order when the schema has become too new for it */
  onOutdated?: () => void
}

/** Most connections of an API process's pools; docs/operations.md adds them up. */
const CONNECTIONS = 29

/** Builds everything an API process consists of and serves it. */
export async function startApiRuntime(
  config: ApiConfig,
  log: Logger,
  options: ApiRuntimeOptions = {},
): Promise<ApiServer & { services: ServiceDeps }> {
  await awaitReadiness(
    [() => schemaReadiness(config.databaseUrl, { connections: CONNECTIONS }), () => temporalReadiness(config.temporal)],
    { log },
  )
  const db = createDb(config.databaseUrl, { max: 12, name: 'svc-api' })
  const tenants = createTenantDb(config.databaseUrl, { max: 10, name: 'svc-api-reads' })
  const askReads = createAskDb(config.ask.databaseUrl ?? askUrl(config.databaseUrl))
  askReads.problem().then(
    (problem) => problem && log.warn({}, `the ask agent answers nothing: ${problem}`),
    () => undefined,
  )
  const notifier = createRunNotifier(db)
  const locks = createSessionLocks(config.databaseUrl, 'svc-api-locks')
  const [notifications, client, clock] = await Promise.all([
    listenForRuns(db),
    connect(config.temporal),
    createDatabaseClock(db),
  ])
  const engine = createEngine(client)
  const pending = createPending(log)
  const egress = createEgressClient()
  const operators = extendCatalog(
    createOperators({ egress, mail: createMailer(), s3: createS3Client(egress) }),
    options.operators ?? [],
  )
  const content = createDeploymentContent({
    config,
    operators,
    consolePolicies: createConsolePolicies(db).list,
    consoleSettings: () => readConsoleSettings(db),
    log,
  })
  // the console may be stricter than the files: no request is accepted before it is loaded
  await content.environments.reloadConsole()
  const env = options.env ?? {}
  const channels = createChannelSource({ home: config.home, log, env })
  const models = createModelSource({ file: config.models.file, log })
  const { home, policiesDir, packsDir, pipelinesDir } = config
  const files = followDeployment({
    home,
    policiesDir,
    pipelinesDir,
    modelsFile: config.models.file,
    log,
    packDirs: packDirs(packsDir),
    catalog: operators,
    defaults: readDefaultPolicies(),
    shippedDir: SHIPPED,
    logged: () => [
      ...content.packs.errors().flatMap(({ faults }) => faults),
      ...[content.environments, content.skills, content.schedules, channels, models].flatMap((each) => each.errors()),
    ],
  })
  // built in parallel to the API, which listens first
  let source: ConsoleSource | undefined
  const reachability = watchReachability({ ping: engine.reachable, log })
  const inbox = config.inbox.durable
    ? openInbox(config, { db, tenants, log, fault: options.fault, max_waiting: config.inbox.maxWaiting })
    : undefined
  const deps = createApiDeps(config, {
    version: packageVersion(),
    log,
    env,
    operators,
    db,
    tenants,
    content,
    channels,
    engine,
    notifier,
    notifications,
    egress,
    models,
    ask_reads: askReads,
    locks,
    files,
    clock: clock.now,
    schedules: createTemporalSchedules(client),
    pipelines: createPipelineWorkflows(client),
    remote: createRemoteJobWorkflows(client),
    later: pending.run,
    console: { files: () => source?.files() ?? 'building' },
    intake: { away: reachability.away, ...(inbox && { inbox }) },
  })
  await deps.models.models.reloadConsole()
  const { services, workspaces, identity } = deps
  const leases = createLeases(config.databaseUrl, holderName())
  const inboxLoop =
    inbox &&
    createInboxLoop({
      lead: (onLost) => leases.take('inbox', onLost),
      drain: (leading) =>
        drainInbox({ services, workspaces, inbox, may_go_on: () => leading() && !reachability.away() }),
      away: reachability.away,
      log,
    })
  if (inbox && inboxLoop) inbox.wake = inboxLoop.wake
  if (identity.tokens !== undefined) await makeFirstOwner(config, { ...services, ...identity }, log)
  const server = await serveApi(createApp(deps), {
    host: config.host,
    port: config.port,
    ids: services.ids,
    onDrain: () => {
      deps.hub.close()
      deps.pipeline_hub.close()
    },
  })
  inboxLoop?.start()
  const release = watchRelease({
    release: thisRelease(),
    readOldest: () => readOldestRelease(db),
    onOutdated: options.onOutdated ?? (() => undefined),
    log,
  })
  source = openConsole({ prebuilt: config.consoleDir, home, log })
  return {
    url: server.url,
    services,
    async close() {
      await releaseAll(
        [
          release.stop,
          async () => clock.close(),
          () => server.close(),
          deps.refusals.close,
          reachability.close,
          async () => inboxLoop?.stop(),
          leases.close,
          pending.settled,
          writePending,
          notifier.close,
          notifications.close,
          content.close,
          files.close,
          channels.close,
          models.close,
          async () => deps.models.models.close(),
          async () => deps.models.leases.close(),
          tenants.end,
          askReads.end,
          locks.close,
          () => db.end({ timeout: 2 }),
          () => client.connection.close(),
        ],
        log,
      )
    },
  }
}

async function makeFirstOwner(config: ApiConfig, ports: FirstOwnerPorts, log: Logger): Promise<void> {
  const { admin } = config.auth
  if (admin === undefined) return
  const outcome = await ensureFirstOwner(ports, admin)
  if (outcome === 'created') log.info({ email: admin.email }, 'the first owner was made; unset SVC_ADMIN_PASSWORD')
  if (outcome === 'email_taken') log.warn({ email: admin.email }, 'no owner was made: another user has this address')
}

/** Tracks work that continues after its answer was sent. */
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
