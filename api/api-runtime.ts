import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createOperators } from '#activities/operators/index.ts'
import type { Operator } from '#core/operator.ts'
import { extendCatalog } from '#core/operator-catalog.ts'
import type { Config } from '#platform/config.ts'
import { isLoopback } from '#platform/config-schema.ts'
import { createDeploymentContent } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createIds } from '#platform/ids.ts'
import type { Logger } from '#platform/logger.ts'
import { connectTemporal } from '#platform/temporal/connect.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import { readTemporalTarget } from '#platform/temporal/temporal-connection.ts'
import { createAlertFold } from '#services/alerts/alert-fold.ts'
import type { ServiceDeps } from '#services/context.ts'
import { createEventHub } from '#services/runs/watch-events.ts'
import { createAlertStore } from '#store/alerts.ts'
import { createApprovalViews } from '#store/approval-views.ts'
import { createArtifactViews } from '#store/artifact-views.ts'
import { createConsolePolicies } from '#store/console-policies.ts'
import { createDb } from '#store/db.ts'
import { createDoorbell } from '#store/doorbell.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createHealthViews } from '#store/health.ts'
import { createIdempotencyStore } from '#store/idempotency.ts'
import { listenDoorbell } from '#store/listen-doorbell.ts'
import { createRunViews } from '#store/run-views.ts'
import { createRunStore } from '#store/runs.ts'
import { createApp } from './app.ts'
import { type ApiServer, serveApi } from './server.ts'

export type ApiConfig = Config & { databaseUrl: string; temporal: { address: string } }

export interface ApiRuntimeOptions {
  /** operators beside the built-in ones */
  operators?: Operator[]
}

/** Builds everything an API process consists of and serves it. */
export async function startApiRuntime(
  config: ApiConfig,
  log: Logger,
  options: ApiRuntimeOptions = {},
): Promise<ApiServer & { services: ServiceDeps }> {
  const db = createDb(config.databaseUrl, { max: 12, name: 'svc-api' })
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
  const services = createServices({ db, content, engine, ring: doorbell.ring, later: pending.run })
  const feed = createEventFeed(db)
  const onError = (error: unknown) => log.warn({ err: error }, 'events could not be read; streams wait')
  const hub = createEventHub({ feed, doorbell: bell, onError })
  const app = createApp({
    version: packageVersion(),
    log,
    services,
    reads: { views: createRunViews(db), feed, artifacts: createArtifactViews(db), approvals: createApprovalViews(db) },
    hub,
    idempotency: createIdempotencyStore(db),
    health: { health: createHealthViews(db), pingEngine: engine.reachable },
    loopback_only: isLoopback(config.host),
  })
  const server = await serveApi(app, { host: config.host, port: config.port, ids: services.ids, onDrain: hub.close })
  return {
    url: server.url,
    services,
    async close() {
      await server.close()
      await pending.settled()
      await doorbell.close()
      await bell.close()
      content.close()
      await db.end({ timeout: 2 })
      await client.connection.close()
    },
  }
}

function createServices(
  made: { db: ReturnType<typeof createDb>; content: ReturnType<typeof createDeploymentContent> } & Pick<
    ServiceDeps,
    'engine' | 'ring' | 'later'
  >,
): ServiceDeps {
  const { packs, policies, environments } = made.content
  return {
    runs: createRunStore(made.db),
    engine: made.engine,
    packs,
    policies,
    environments,
    clock: Date.now,
    ids: createIds(),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    ring: made.ring,
    later: made.later,
    alertFold: createAlertFold(createAlertStore(made.db)),
  }
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
