import { hostname } from 'node:os'
import { Client } from '@temporalio/client'
import { createRemoteJobActivities } from '#activities/claims/other-workflows.ts'
import type { FaultPoint } from '#activities/deps.ts'
import { createLaneActivities, createLedgerActivities } from '#activities/index.ts'
import { createOperators } from '#activities/operators/index.ts'
import { extendCatalog, type Operator } from '#core/operator.ts'
import { createBackupStore } from '#platform/backups/backup-store.ts'
import type { Config } from '#platform/config.ts'
import { createDeploymentContent } from '#platform/deployment-content.ts'
import { createEgressClient } from '#platform/egress/egress-client.ts'
import { createGit } from '#platform/git/git-program.ts'
import { createIds, holderName } from '#platform/ids.ts'
import type { Logger } from '#platform/logger.ts'
import { createMailer } from '#platform/mail/send-mail.ts'
import { createMcpClient } from '#platform/mcp/mcp-client.ts'
import { createProcessRunner } from '#platform/processes/process-runner.ts'
import { awaitReadiness } from '#platform/program/await-readiness.ts'
import { releaseAll } from '#platform/program/release-all.ts'
import { watchRelease } from '#platform/program/watch-release.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { createEngine } from '#platform/temporal/engine.ts'
import { createRemoteJobWorkflows } from '#platform/temporal/remote-job-workflows.ts'
import { createRunWorkflows } from '#platform/temporal/run-workflows.ts'
import { temporalReadiness } from '#platform/temporal/temporal-readiness.ts'
import { verifyAttestation } from '#platform/temporal/verify-attestation.ts'
import { refreshDue } from '#services/connections/refresh-tokens.ts'
import { writePending } from '#services/write-with-retry.ts'
import { readConsoleSettings } from '#store/authored/console-documents.ts'
import { createConsolePolicies } from '#store/authored/policy-documents.ts'
import { createDb } from '#store/db.ts'
import { createLaneSlots } from '#store/lane-slots.ts'
import { createLeases } from '#store/leases.ts'
import { createRunNotifier } from '#store/runs/listen-for-runs.ts'
import { createRemoteJobs } from '#store/runs/remote-jobs.ts'
import { thisRelease } from '#store/schema-problem.ts'
import { readOldestRelease, schemaReadiness } from '#store/schema-readiness.ts'
import { createSkillFirings } from '#store/skill-firings.ts'
import { createDatabaseClock } from '#store/sql/database-clock.ts'
import { createActivityDeps } from './create-activity-deps.ts'
import { createAudit } from './create-audit.ts'
import { createBus } from './create-bus.ts'
import { createConfig } from './create-config.ts'
import { createModels } from './create-models.ts'
import { createNotices } from './create-notices.ts'
import { createPipelines } from './create-pipelines.ts'
import { createRunLoops } from './create-run-loops.ts'
import { createSchedules } from './create-schedules.ts'
import { createSkills } from './create-skills.ts'
import { connectWorker, createWorkers } from './create-workers.ts'
import { createRemoteJobSweep } from './loops/remote-jobs.ts'
import { createTokenRefresh } from './loops/token-refresh.ts'
import { startHeartbeat } from './start-heartbeat.ts'
import { prepareWorkflowBundle } from './workflow-bundle.ts'

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
  const notifier = createRunNotifier(db)
  const slots = createLaneSlots(config.databaseUrl)
  const ids = createIds()
  const egress = createEgressClient()
  const s3 = createS3Client(egress)
  const shipped = createOperators({
    egress,
    s3,
    mcp: createMcpClient(egress),
    backups: createBackupStore(config.backupsDir),
    mail: createMailer(),
    git: createGit({ path: options.env?.['PATH'] }),
    processes: createProcessRunner(),
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
  const { environments } = content
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
  const client = new Client({ connection, namespace: config.temporal.namespace })
  const remote = createRemoteJobWorkflows(client)
  const { deps, connections, objects } = createActivityDeps({
    config,
    db,
    content,
    operators,
    egress,
    s3,
    slots,
    models,
    clock,
    ids,
    log,
    audit: sequencer.line,
    remote,
    notifyRun: notifier.notify,
    fault: options.fault,
  })
  const engine = createEngine(client)
  const firings = createSkillFirings(db)
  const workflows = createRunWorkflows(client)
  const { wake } = workflows
  const remoteDeps = { ...deps, verifyAttestation, remote_jobs: createRemoteJobs(db), lifeOf: remote.lifeOf, wake }
  const runLoops = createRunLoops({
    config,
    db,
    deps,
    objects,
    start: engine.start,
    workflows,
    followRemoteJobs: createRemoteJobSweep({ ...remoteDeps, remote, log }),
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
    egress,
    ids,
    leading: sequencer.leading,
    clock,
    log,
  })
  const grants = createTokenRefresh({ refreshDue: () => refreshDue(connections), leading: sequencer.leading, log })
  const configWatch = createConfig({ config, db, audit: sequencer.line, leading: sequencer.leading, ids, clock, log })
  await configWatch.start()
  const bus = await createBus({ config, db, leases, log })
  const timed = {
    config,
    db,
    client,
    engine,
    content,
    clock,
    log,
    notifyRun: notifier.notify,
    leading: sequencer.leading,
  }
  const schedules = createSchedules(timed)
  const pipelines = createPipelines(timed)
  const workers = await createWorkers({
    connection,
    namespace: config.temporal.namespace,
    bundle_path,
    lanes: config.lanes,
    deployment: config.workerDeployment,
    activities: {
      lane: createLaneActivities(deps),
      ledger: createLedgerActivities(deps),
      notices: notices.activities,
      schedule: schedules.activities,
      pipeline: pipelines.activities,
      remote: createRemoteJobActivities(remoteDeps),
    },
  })
  const skills = createSkills({
    config,
    db,
    bus,
    content,
    engine,
    notifyRun: notifier.notify,
    workspaces: deps.workspaces,
    firings,
    clock,
    log,
  })
  const running = Promise.all(workers.map((worker) => worker.run()))
  const heartbeat = await startHeartbeat({ db, worker_id, sequencer, log })
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
    heartbeat.stop()
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
        heartbeat.leave,
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
