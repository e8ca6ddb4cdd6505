import type { ActivityDeps } from '#activities/deps.ts'
import type { Config } from '#platform/config.ts'
import type { createDeploymentContent } from '#platform/deployment-content.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { Logger } from '#platform/logger.ts'
import type { S3Client } from '#platform/s3/s3-client.ts'
import { createCommandSeal, createSecretBox } from '#platform/secret-box.ts'
import { sha256 } from '#platform/sha256.ts'
import { createConnectionPorts } from '#services/connections/create-connection-ports.ts'
import { openConnection } from '#services/connections/open-connection.ts'
import { createArtifactObjects } from '#services/runs/artifact-objects.ts'
import { createWorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createPlanStore } from '#store/plans.ts'
import { createRemoteJobs } from '#store/runs/remote-jobs.ts'
import { createRunStore } from '#store/runs/runs.ts'
import { createWorkspaceStore } from '#store/workspaces.ts'
import type { Models } from './create-models.ts'

interface ActivityParts
  extends Pick<ActivityDeps, 'operators' | 'slots' | 'audit' | 'remote' | 'clock' | 'ids' | 'notifyRun'> {
  config: Config
  db: Db
  content: Pick<ReturnType<typeof createDeploymentContent>, 'policies' | 'environments'>
  egress: EgressClient
  s3: S3Client
  models: Pick<Models, 'ports'>
  log: Logger
  fault: ActivityDeps['fault'] | undefined
}

/** Builds what activities need, and what the loops share with them. */
export function createActivityDeps(parts: ActivityParts) {
  const { config, db, content, operators, egress, s3, slots, models, audit, remote, clock, ids, log, notifyRun } = parts
  const { fault = () => undefined } = parts
  const { environments } = content
  const workspaces = createWorkspaceDirectory(createWorkspaceStore(db), clock)
  const connections = {
    ...createConnectionPorts({ db, keys: config.connectionKeys, egress, log }),
    workspaces,
    environments,
    clock,
    ids,
  }
  const objects = createArtifactObjects({ connections, s3, environments })
  const deps: ActivityDeps = {
    runs: createRunStore(db),
    plans: createPlanStore(db, sha256),
    decisions: createGateDecisions(db),
    policies: content.policies,
    environments,
    operators,
    workspaces,
    lanes: config.lanes,
    slots,
    audit,
    remote_jobs: createRemoteJobs(db),
    remote,
    clock,
    monotonic: () => performance.now(),
    ids,
    sha256,
    ...(config.secretKey !== undefined && { secrets: createSecretBox(config.secretKey) }),
    log,
    async connect(environment, id, workspaceId, tool) {
      const found = environments.connect(environment.name, id)
      return 'url' in found ? found : await openConnection(connections, { ...found, id, workspaceId, tool })
    },
    notifyRun,
    models: models.ports,
    objects,
    approval_ttl_ms: config.approvalTtlMs,
    ...attribution(config),
    fault,
  }
  return { deps, connections, objects }
}

/** With authentication on, a command without the API's signature approves nothing, unless access to the engine is restricted. */
function attribution({ auth, secretKey }: Config): Pick<ActivityDeps, 'verify' | 'open' | 'signals_approve'> {
  const open = auth.jwtSecret === undefined
  const verify = secretKey === undefined ? undefined : createCommandSeal(secretKey).verify
  return { verify, open, signals_approve: open || auth.temporalApprovals }
}
