import { isLoopback } from '#core/egress/classify.ts'
import { sendTest } from '#platform/check/send-test.ts'
import type { Config } from '#platform/config.ts'
import { describeConfig } from '#platform/describe-config.ts'
import { createIngressAuthenticator } from '#platform/ingress/ingress-authenticator.ts'
import { createMetrics } from '#platform/metrics.ts'
import { createChatAuthenticator } from '#platform/notify/chat-authenticator.ts'
import { createS3Client } from '#platform/s3/s3-client.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import { createConnectionPorts } from '#services/connections/create-connection-ports.ts'
import { createServiceDeps } from '#services/create-service-deps.ts'
import { createHealthCheck } from '#services/health/check-health.ts'
import { createMetricReader } from '#services/metrics/read-metrics.ts'
import { createRefusalCounter } from '#services/refusals/count-refusals.ts'
import { createArtifactObjects } from '#services/runs/artifact-objects.ts'
import { createEventHub } from '#services/runs/watch-events.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import { createIngressDeliveries } from '#store/alerts/ingress-deliveries.ts'
import { createAuditViews } from '#store/audit/audit-views.ts'
import { createBudgetViews } from '#store/budget-views.ts'
import { createEventFeed } from '#store/event-feed.ts'
import { createApprovalViews } from '#store/gates/approval-views.ts'
import { createStaleGates } from '#store/gates/stale-gates.ts'
import { createHealthViews } from '#store/health.ts'
import { createIdempotencyStore } from '#store/idempotency.ts'
import { createMetricViews } from '#store/metric-views.ts'
import { createDeliveryRecords } from '#store/notices/delivery-records.ts'
import { createDeliveryViews } from '#store/notices/delivery-views.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import { createPipelineFeed } from '#store/pipelines/pipeline-feed.ts'
import { createPipelineViews } from '#store/pipelines/pipeline-views.ts'
import { createPipelineStore } from '#store/pipelines/pipelines.ts'
import { createPlanUsage } from '#store/plans.ts'
import { createArtifactViews } from '#store/runs/artifact-views.ts'
import { createLineageViews } from '#store/runs/lineage-views.ts'
import { createRemoteJobViews } from '#store/runs/remote-jobs.ts'
import { createRunSearch } from '#store/runs/run-search.ts'
import { createRunViews } from '#store/runs/run-views.ts'
import { createSimilarRuns } from '#store/runs/similar-runs.ts'
import { createStepViews } from '#store/runs/step-views.ts'
import { createScheduleStore } from '#store/schedules/schedules.ts'
import { createSkillViews } from '#store/skill-views.ts'
import { createHolder } from '#store/sql/session-locks.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import type { ApiParts } from './api-parts.ts'
import { createAskPorts } from './create-ask-ports.ts'
import { approvalLinks, createAuth, createBodyDigest, createIdentity } from './create-auth.ts'
import { createAuthoring } from './create-authoring.ts'
import { createKnowledgePorts, createModelPorts } from './create-model-ports.ts'
import { createReport } from './create-report.ts'
import type { ApiDeps } from './deps.ts'
import { createDeliveryLimit, createLoginLimits, createRateLimit } from './rate-limit.ts'

/** of one address, on one ingress */
const FORGERIES_PER_S = 50

/** Builds the dependencies of the API from settings and open resources. */
export function createApiDeps(config: Config, parts: ApiParts): ApiDeps {
  const { version, log, env, db, tenants, content, channels, engine, notifier, notifications, egress, later } = parts
  const metrics = createMetrics()
  const health = createHealthViews(db)
  const services = createServiceDeps(config, {
    db,
    tenants,
    content,
    engine,
    later,
    clock: parts.clock,
    ids: parts.ids,
    notifyRun: notifier.notify,
    subscribe: notifications.subscribe,
    onAdmission: metrics.admission,
  })
  const { clock } = services
  const feed = createEventFeed(db, tenants)
  const pipelineFeed = createPipelineFeed(db, tenants)
  const streaming = {
    notifications,
    onError: (error: unknown) => log.warn({ err: error }, 'events could not be read; streams wait'),
  }
  const gates = createNoticeGates(createNoticeViews(db), services)
  const holder = createHolder(parts.locks, () => services.ids.next('request'))
  const workspaces = createWorkspaceStore(db)
  const directory = createWorkspaceDirectory(workspaces, clock)
  const connections = createConnectionPorts({ db, keys: config.connectionKeys, egress, log })
  const s3 = createS3Client(egress)
  const identity = createIdentity(config, db, clock)
  const logins = createLoginLimits()
  const models = createModelPorts(config, parts)
  const refusals = createRefusalCounter({ runs: services.runs, ids: services.ids, clock, log })
  return {
    version,
    log,
    services,
    reads: {
      operators: parts.operators,
      policyLayers: content.policies,
      budgets: createBudgetViews(tenants),
      views: createRunViews(tenants),
      searches: createRunSearch(tenants),
      steps: createStepViews(tenants),
      plan_usage: createPlanUsage(tenants),
      feed,
      artifacts: createArtifactViews(tenants),
      objects: createArtifactObjects({
        connections: {
          ...connections,
          workspaces: directory,
          environments: content.environments,
          clock,
          ids: services.ids,
        },
        s3,
        environments: content.environments,
      }),
      remote_jobs: {
        views: createRemoteJobViews(tenants),
        ...(parts.remote !== undefined && { engine: parts.remote }),
      },
      approvals: createApprovalViews(tenants),
      deliveries: createDeliveryViews(tenants),
      records: createDeliveryRecords(tenants),
      skills: content.skills,
      skill_views: createSkillViews(tenants),
      audits: createAuditViews(db, tenants),
      lineages: createLineageViews(tenants),
      similar: createSimilarRuns(tenants),
      stale: createStaleGates(tenants),
      workspaces,
      pipelines: {
        store: createPipelineStore(db, services.sha256),
        views: createPipelineViews(tenants),
        feed: pipelineFeed,
        bundles: content.pipelines,
        workflows: parts.pipelines,
        keeps_events: config.bus.kind === 'postgres',
      },
      schedules: {
        store: createScheduleStore(db, tenants),
        ...(parts.schedules !== undefined && { engine: parts.schedules }),
      },
    },
    hub: createEventHub({ ...streaming, feed, ...parts.hub }),
    pipeline_hub: createEventHub({ ...streaming, feed: pipelineFeed }),
    idempotency: createIdempotencyStore(db, holder),
    bodyDigest: createBodyDigest(config),
    auth: createAuth(identity, config, clock, { sha256: services.sha256, limits: logins, refusals, later }),
    identity,
    logins,
    workspaces: directory,
    limiter: createRateLimit(config.auth.jwtSecret === undefined ? 0 : config.auth.rateLimit),
    delivery_limiter: createDeliveryLimit(config.auth.jwtSecret === undefined ? 0 : config.auth.deliveryRateLimit),
    ...approvalLinks(config, db, gates, clock),
    chat: { gates, ...createChatAuthenticator({ channels, egress, now: clock }) },
    ingress: {
      authenticator: createIngressAuthenticator({ packs: content.packs, env, egress, now: clock }),
      deliveries: createIngressDeliveries(db, holder),
      forgeries: createRateLimit(FORGERIES_PER_S),
      limit: createDeliveryLimit(config.auth.deliveryRateLimit),
    },
    health: createHealthCheck({ health, pingEngine: engine.reachable }),
    describe: createReport(config, {
      ...parts,
      services,
      health,
      identity,
      workspaces,
      directory,
      connections: connections.store,
      models: models.models,
      versions: { svc: version, node: process.versions.node },
    }),
    deployment: {
      channels,
      sendTest: (channel) =>
        sendTest([channel], {
          egress,
          env,
          now: clock,
          url: config.publicUrl,
          id: () => services.ids.next('notification'),
        }),
      settings: () => describeConfig(config),
    },
    metrics,
    authoring: createAuthoring({
      db,
      tenants,
      identity,
      policies: content.policies,
      settings: content.environments,
      names: { ...content, channels, operators: parts.operators, models: models.models },
      connections: {
        ...connections,
        operators: parts.operators,
        redirect_uri: `${config.publicUrl.replace(/\/$/, '')}/oauth/callback`,
      },
    }),
    refusals,
    models,
    ask: createAskPorts(config, parts),
    knowledge: createKnowledgePorts(config, parts),
    readMetrics: createMetricReader({
      metrics,
      views: createMetricViews(db, parts.late_ms),
      health,
      limits: config.lanes,
    }),
    intake: parts.intake,
    public_url: config.publicUrl,
    ...temporalWorkflows(config),
    console: parts.console ?? { files: () => 'failed' },
    mcp: config.mcp,
    loopback_only: isLoopback(config.host) && config.auth.jwtSecret === undefined,
  }
}

function temporalWorkflows({ temporal: { uiUrl, namespace } }: Config): Pick<ApiDeps, 'temporal_workflows'> {
  if (uiUrl === undefined) return {}
  return { temporal_workflows: `${uiUrl.replace(/\/$/, '')}/namespaces/${encodeURIComponent(namespace)}/workflows/` }
}
