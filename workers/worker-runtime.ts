import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { Client } from '@temporalio/client'
import { NativeConnection } from '@temporalio/worker'
import type { ActivityDeps, FaultPoint } from '#activities/deps.ts'
import { createLaneActivities, createLedgerActivities } from '#activities/index.ts'
import { createOperators } from '#activities/operators/index.ts'
import { LANES } from '#core/contract.ts'
import { extendCatalog, type Operator } from '#core/operator.ts'
import { createBackupStore } from '#platform/backups/backup-store.ts'
import type { Config } from '#platform/config.ts'
import { createDeploymentContent } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createGit } from '#platform/git/git-program.ts'
import { createIds, holderName } from '#platform/ids.ts'
import type { Logger } from '#platform/logger.ts'
import { createMailer } from '#platform/mail/send-mail.ts'
import { awaitReadiness } from '#platform/program/await-readiness.ts'
import { releaseAll } from '#platform/program/release-all.ts'
import { watchRelease } from '#platform/program/watch-release.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { createCommandSeal, createSecretBox } from '#platform/secret-box.ts'
import { tlsOptions } from '#platform/temporal/connect.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import { createRunWorkflows } from '#platform/temporal/run-workflows.ts'
import { readTemporalTarget } from '#platform/temporal/temporal-connection.ts'
import { temporalReadiness } from '#platform/temporal/temporal-readiness.ts'
import { createConnectionPorts } from '#services/connections/create-connection-ports.ts'
import { openConnection } from '#services/connections/open-connection.ts'
import { refreshDue } from '#services/connections/refresh-tokens.ts'
import { createArtifactObjects } from '#services/runs/artifact-objects.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { writePending } from '#services/write-with-retry.ts'
import { readConsoleSettings } from '#store/authored/console-documents.ts'
import { createConsolePolicies } from '#store/authored/policy-documents.ts'
import { createDb } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createLaneSlots } from '#store/lane-slots.ts'
import { createLeases } from '#store/leases.ts'
import { createPlanStore } from '#store/plans.ts'
import { createRunNotifier } from '#store/runs/listen-for-runs.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { thisRelease } from '#store/schema-problem.ts'
import { readOldestRelease, schemaReadiness } from '#store/schema-readiness.ts'
import { createSkillFirings } from '#store/skill-firings.ts'
import { createDatabaseClock } from '#store/sql/database-clock.ts'
import { createWorkerHeartbeats } from '#store/worker-heartbeats.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import { createAudit } from './create-audit.ts'
import { createBus } from './create-bus.ts'
import { createConfig } from './create-config.ts'
import { createModels } from './create-models.ts'
import { createNotices } from './create-notices.ts'
import { createPipelines } from './create-pipelines.ts'
import { createRunLoops } from './create-run-loops.ts'
import { createSchedules } from './create-schedules.ts'
import { createSkills } from './create-skills.ts'
import { createWorkers } from './create-workers.ts'
import { createTokenRefresh } from './loops/token-refresh.ts'
import { prepareWorkflowBundle } from './workflow-bundle.ts'

const BEAT_MS = 2_000

export interface WorkerRuntime {
  /** resolves when the workers have drained after `stop()`, rejects when one of them dies */
  done: Promise<void>
  stop(): Promise<void>
}

export interface WorkerRuntimeOptions {
  /** dies at a named point: for fault tests */
  fault?: (point: FaultPoint, content?: string) => void
  /** operators besides the built-in ones */
  operators?: Operator[]
  /** the variables that secret references name */
  env?: Record<string, string | undefined>
  /** a bundle that holds more than our workflows */
  bundle_path?: string
  /** gives up a start that still waits */
  signal?: AbortSignal
  /** ends this process in good order when the schema has become too new for it */
  onOutdated?: () => void
}

/** Most connections of a worker process's pools; docs/operations.md adds them up. */
const CONNECTIONS = 16

/** Builds everything a worker process consists of and sets it going. */
export async function startWorkerRuntime(
  config: Config & { databaseUrl: string; temporal: { address: string } },
  log: Logger,
  options: WorkerRuntimeOptions = {},
): Promise<WorkerRuntime> {
  await awaitReadiness(
    [() => schemaReadiness(config.databaseUrl, { connections: CONNECTIONS }), () => temporalReadiness(config.temporal)],
    { log, signal: options.signal },
  )
  const worker_id = `${hostname()}:${process.pid}`
  const db = createDb(config.databaseUrl, { max: 12, name: 'svc-worker' })
  const runs = createRunStore(db)
  const heartbeats = createWorkerHeartbeats(db)
  const notifier = createRunNotifier(db)
  const slots = createLaneSlots(config.databaseUrl)
  const ids = createIds()
  const egress = createEgressClient()
  const s3 = createS3Client(egress)
  const shipped = createOperators({
    egress,
    s3,
    backups: createBackupStore(config.backupsDir),
    mail: createMailer(),
    git: createGit({ path: options.env?.['PATH'] }),
  })
  const operators = extendCatalog(shipped, options.operators ?? [])
  const content = createDeploymentContent({
    config,
    operators,
    consolePolicies: createConsolePolicies(db).list,
    consoleSettings: () => readConsoleSettings(db),
    log,
    env: options.env ?? {},
  })
  const { policies, environments } = content
  const models = createModels({ config, db, egress, env: options.env ?? {}, log })
  // the console may be stricter than the files: nothing runs before it is loaded
  await Promise.all([environments.reloadConsole(), models.reloadConsole()])
  const leases = createLeases(config.databaseUrl, holderName())
  const { now: clock, close: closeClock } = await createDatabaseClock(db)
  const audit = createAudit({ config, db, leases, ids, clock, log })
  const { sequencer } = audit
  const [bundle_path, connection] = await Promise.all([
    options.bundle_path ?? prepareWorkflowBundle(),
    connectWorker(config),
    audit.start(),
  ])
  const workspaces = createWorkspaceDirectory(createWorkspaceStore(db), clock)
  const connections = {
    ...createConnectionPorts({ db, keys: config.connectionKeys, egress, log }),
    ...{ workspaces, environments, clock, ids },
  }
  const objects = createArtifactObjects({ connections, s3, environments })
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const deps: ActivityDeps = {
    runs,
    plans: createPlanStore(db, sha256),
    decisions: createGateDecisions(db),
    policies,
    environments,
    operators,
    workspaces,
    lanes: config.lanes,
    slots,
    audit: sequencer.line,
    clock,
    monotonic: () => performance.now(),
    ids,
    sha256,
    ...(config.secretKey !== undefined && { secrets: createSecretBox(config.secretKey) }),
    log,
    async connect(environment, id, workspaceId) {
      const found = environments.connect(environment.name, id)
      return 'url' in found ? found : await openConnection(connections, { ...found, id, workspaceId })
    },
    notifyRun: notifier.notify,
    models: models.ports,
    objects,
    approval_ttl_ms: config.approvalTtlMs,
    ...attribution(config),
    fault: options.fault ?? (() => undefined),
  }
  const client = new Client({ connection, namespace: config.temporal.namespace })
  const engine = createEngine(client)
  const firings = createSkillFirings(db)
  const workflows = createRunWorkflows(client)
  const runLoops = createRunLoops({
    config,
    db,
    deps,
    objects,
    start: engine.start,
    workflows,
    purgeFirings: firings.purge,
    leading: sequencer.leading,
    log,
  })
  const notices = createNotices({
    config,
    db,
    votes: deps,
    client,
    environments,
    env: options.env ?? {},
    leading: sequencer.leading,
    clock,
    log,
  })
  const grants = createTokenRefresh({ refreshDue: () => refreshDue(connections), leading: sequencer.leading, log })
  const configWatch = createConfig({ config, db, audit: sequencer.line, leading: sequencer.leading, clock, log })
  await configWatch.start()
  const bus = await createBus({ config, db, leases, log })
  const schedules = createSchedules({
    config,
    db,
    client,
    engine,
    content,
    notifyRun: notifier.notify,
    leading: sequencer.leading,
    clock,
    log,
  })
  const pipelines = createPipelines({
    config,
    db,
    client,
    engine,
    content,
    notifyRun: notifier.notify,
    leading: sequencer.leading,
    clock,
    log,
  })
  const workers = await createWorkers({
    connection,
    namespace: config.temporal.namespace,
    bundle_path,
    lanes: config.lanes,
    deployment: config.workerDeployment,
    activities: {
      lane: createLaneActivities(deps),
      ledger: createLedgerActivities(deps),
      action: notices.activities,
      schedule: schedules.activities,
      pipeline: pipelines.activities,
    },
  })
  const skills = createSkills({
    config,
    db,
    bus,
    content,
    engine,
    notifyRun: notifier.notify,
    workspaces,
    firings,
    clock,
    log,
  })
  const running = Promise.all(workers.map((worker) => worker.run()))
  const beat = () =>
    heartbeats
      .beat({
        worker_id,
        lanes: [...LANES],
        audit_leader: sequencer.leading(),
        audit_ok: sequencer.healthy(),
      })
      .catch((error: unknown) => log.warn({ err: error }, 'the heartbeat was not written'))
  await beat()
  const beating = setInterval(beat, BEAT_MS)
  runLoops.start()
  notices.start()
  grants.start()
  schedules.start()
  await pipelines.start()
  const releaseWatch = watchRelease({
    release: thisRelease(),
    readOldest: () => readOldestRelease(db),
    onOutdated: options.onOutdated ?? (() => undefined),
    log,
  })

  async function release(): Promise<void> {
    clearInterval(beating)
    await releaseAll(
      [
        releaseWatch.stop,
        async () => closeClock(),
        configWatch.stop,
        runLoops.stop,
        notices.stop,
        grants.stop,
        schedules.stop,
        pipelines.stop,
        writePending,
        audit.stop,
        skills.close,
        bus.close,
        notifier.close,
        () => heartbeats.leave(worker_id),
        content.close,
        async () => models.close(),
        () => connection.close(),
        slots.close,
        leases.close,
        () => db.end({ timeout: 2 }),
      ],
      log,
    )
  }

  return {
    done: running.then(release),
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown()
      await running.catch(() => undefined)
    },
  }
}

/** With authentication on, a command without the API's signature approves nothing, unless access to the engine is restricted. */
function attribution({ auth, secretKey }: Config): Pick<ActivityDeps, 'verify' | 'open' | 'signals_approve'> {
  const open = auth.jwtSecret === undefined
  const verify = secretKey === undefined ? undefined : createCommandSeal(secretKey).verify
  return { verify, open, signals_approve: open || auth.temporalApprovals }
}

/** On loopback compression costs more than it saves. */
async function connectWorker(config: Config & { temporal: { address: string } }): Promise<NativeConnection> {
  const { address, api_key, tls } = await readTemporalTarget(config.temporal)
  return await NativeConnection.connect({
    address,
    ...(api_key !== undefined && { apiKey: api_key }),
    ...(tls === undefined
      ? { grpcCompression: { codec: 'none' } as const }
      : { tls: tls === true ? true : tlsOptions(tls) }),
  })
}
