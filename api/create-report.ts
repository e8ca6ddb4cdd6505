import type { FollowedDeployment } from '#platform/check/follow-deployment.ts'
import type { Config } from '#platform/config.ts'
import { ingressProblems } from '#platform/ingress/ingress-problems.ts'
import { linkProblem } from '#platform/links.ts'
import type { Identity } from '#services/auth/identity.ts'
import type { ConnectionPorts } from '#services/connections/connection-ports.ts'
import { createDeploymentReport, type DeploymentPorts } from '#services/health/describe-deployment.ts'
import { roleFaults } from '#services/models/put-model-roles.ts'
import { scheduleProblems } from '#services/schedules/schedule-problems.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import { readConsoleSettings } from '#store/authored/console-documents.ts'
import { createConsolePolicies } from '#store/authored/policy-documents.ts'
import { busHealth } from '#store/bus/bus-health.ts'
import type { Db } from '#store/db.ts'
import { readCorpusNames } from '#store/knowledge/knowledge.ts'
import { createLaneFigures } from '#store/lane-figures.ts'
import { pipelineHealth } from '#store/pipelines/pipeline-views.ts'
import { createSetAsideStore, undelivered } from '#store/set-aside.ts'
import type { createWorkspaceStore } from '#store/workspaces.ts'
import type { ApiParts } from './api-parts.ts'
import type { ApiDeps } from './deps.ts'

interface FaultSources {
  db: Db
  identity: Pick<Identity, 'users' | 'tokens'>
  workspaces: Pick<ReturnType<typeof createWorkspaceStore>, 'slugs'>
  connections: Pick<ConnectionPorts['store'], 'names'>
  models: ApiDeps['models']['models']
}

interface ReportParts
  extends FaultSources,
    Pick<ApiParts, 'content' | 'channels' | 'files' | 'env'>,
    Pick<DeploymentPorts, 'health' | 'versions'> {
  services: Pick<ServiceDeps, 'halts' | 'clock'>
  directory: DeploymentPorts['workspaces']
}

/** What the deployment says of itself, and what is wrong with it. */
export function createReport(config: Pick<Config, 'publicUrl' | 'lanes'>, parts: ReportParts) {
  const { services, content, channels, health, db, env, versions, directory } = parts
  const { clock } = services
  return createDeploymentReport({
    ...content,
    channels,
    linkProblem: () => linkProblem(config.publicUrl, channels.list()),
    health,
    figures: createLaneFigures(db),
    bus: (workspaceId) => busHealth(db, workspaceId),
    limits: config.lanes,
    halts: (workspaceId, everywhere) => services.halts.list([workspaceId], everywhere ? '*' : [workspaceId]),
    scheduleProblems: (workspace) => scheduleProblems({ ...content, clock }, workspace),
    workspaces: directory,
    ingressProblems: (workspaceId) => ingressProblems(content.packs.list(), workspaceId, env),
    problems: parts.files && fileProblems(parts.files, parts),
    pipelines: (workspaceId) => pipelineHealth(db, workspaceId),
    undelivered: (workspaceId) => undelivered(db, workspaceId),
    setAside: createSetAsideStore(db).list,
    versions,
  })
}

/** Without authentication no user has a role, so missing roles are no problem. */
function fileProblems(
  files: Pick<FollowedDeployment, 'findings'>,
  { identity, db, workspaces, connections, models }: FaultSources,
): DeploymentPorts['problems'] {
  const { users, tokens } = identity
  const policies = createConsolePolicies(db)
  return async () => {
    const [console_policies, corpora, stored_connections, console_settings, slugs, approval_roles] = await Promise.all([
      policies.names(),
      readCorpusNames(db),
      connections.names(),
      readConsoleSettings(db),
      workspaces.slugs(),
      tokens === undefined ? undefined : users.heldApprovalRoles(),
    ])
    const [environments, profiles] = [console_settings.environments, console_settings.profiles].map((rows) =>
      rows.map(({ name }) => name),
    )
    const findings = files.findings({
      console_policies,
      corpora,
      stored_connections,
      workspaces: slugs,
      ...(environments?.length && { console_environments: environments }),
      ...(profiles?.length && { console_profiles: profiles }),
      ...(approval_roles !== undefined && { approval_roles }),
    })
    return [...findings, ...roleFaults(models)]
  }
}
