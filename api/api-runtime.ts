import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createOperators } from '#activities/operators/index.ts'
import type { Config } from '#platform/config.ts'
import { isLoopback } from '#platform/config-schema.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createEnvironmentSource } from '#platform/environments/environment-source.ts'
import { createIds } from '#platform/ids.ts'
import type { Logger } from '#platform/logger.ts'
import { createPackRegistry, packDirs } from '#platform/packs/pack-registry.ts'
import { createPolicySource } from '#platform/policies/policy-source.ts'
import { connectTemporal, type TemporalTarget } from '#platform/temporal/connect.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import type { ServiceDeps } from '#services/context.ts'
import { createEventHub } from '#services/runs/watch-events.ts'
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

/** Builds everything an API process consists of and serves it. */
export async function startApiRuntime(config: ApiConfig, log: Logger): Promise<ApiServer> {
  const db = createDb(config.databaseUrl, { max: 12, name: 'svc-api' })
  const doorbell = createDoorbell(db)
  const [bell, client] = await Promise.all([listenDoorbell(db), connectTemporal(temporalTarget(config.temporal))])
  const engine = createEngine(client)
  const pending = createPending(log)
  const services = createServices(config, log, { db, engine, ring: doorbell.ring, later: pending.run })
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
    async close() {
      await server.close()
      await pending.settled()
      await doorbell.close()
      await bell.close()
      await db.end({ timeout: 2 })
      await client.connection.close()
    },
  }
}

function createServices(
  config: ApiConfig,
  log: Logger,
  made: { db: ReturnType<typeof createDb> } & Pick<ServiceDeps, 'engine' | 'ring' | 'later'>,
): ServiceDeps {
  const packs = createPackRegistry({
    dirs: packDirs(config.packsDir),
    catalog: createOperators({ egress: createEgressClient() }),
    log,
  })
  return {
    runs: createRunStore(made.db),
    engine: made.engine,
    packs,
    policies: createPolicySource({
      overlayDir: config.policiesDir,
      packPolicies: () => packs.policies(),
      consolePolicies: (workspaceId) => createConsolePolicies(made.db).list(workspaceId),
      log,
    }),
    environments: createEnvironmentSource({ home: config.home, log }),
    clock: Date.now,
    ids: createIds(),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    ring: made.ring,
    later: made.later,
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

function temporalTarget({ address, namespace, apiKey, tls }: ApiConfig['temporal']): TemporalTarget {
  const files = Object.entries(tls).flatMap(([name, path]) => (path === undefined ? [] : [[name, readFileSync(path)]]))
  return {
    address,
    namespace,
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
    ...(files.length === 0 ? {} : { tls: Object.fromEntries(files) }),
  }
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined
  return String(known ?? '0.0.0')
}
