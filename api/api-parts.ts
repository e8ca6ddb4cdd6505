import type { FollowedDeployment } from '#platform/check/follow-deployment.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import type { ModelSource } from '#platform/models/model-source.ts'
import type { ChannelSource } from '#platform/notify/channel-source.ts'
import type { ChatAuthenticatorOptions } from '#platform/notify/chat-authenticator.ts'
import type { SecretEnvironment } from '#platform/secrets.ts'
import type { SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import type { Engine } from '#services/context.ts'
import type { ServiceParts } from '#services/create-service-deps.ts'
import type { DeploymentPorts } from '#services/health/describe-deployment.ts'
import type { PipelinePorts } from '#services/pipelines/ports.ts'
import type { ReadPorts } from '#services/read-ports.ts'
import type { EventHubOptions } from '#services/runs/watch-events.ts'
import type { ScheduleProblemPorts } from '#services/schedules/schedule-problems.ts'
import type { SchedulePorts } from '#services/schedules/schedule-record.ts'
import type { AskDb } from '#store/ask/ask-db.ts'
import type { createRunNotifier, RunNotifications } from '#store/runs/listen-for-runs.ts'
import type { SessionLocks } from '#store/sql/session-locks.ts'
import type { AuthoringParts } from './create-authoring.ts'
import type { ApiDeps } from './deps.ts'
/** Resources of the API that are opened, followed or shared elsewhere, and have to be closed. */
export interface ApiParts
  extends Pick<ServiceParts, 'db' | 'tenants' | 'later' | 'clock'>,
    Partial<Pick<ServiceParts, 'ids'>> {
  version: string
  log: ApiDeps['log']
  /** the variables that secret references name */
  env: SecretEnvironment
  operators: ReadPorts['operators']
  content: ServiceParts['content'] &
    Pick<DeploymentPorts, 'packs' | 'environments' | 'policies'> & {
      skills: Pick<SkillCatalogue, 'errors' | 'list'>
      pipelines: PipelinePorts['pipelines']['bundles']
    } & { policies: ReadPorts['policyLayers'] } & Pick<ScheduleProblemPorts, 'schedules'> &
    Pick<AuthoringParts['names'], 'environments'> &
    Pick<AuthoringParts, 'policies'> & { environments: AuthoringParts['settings'] }
  channels: DeploymentPorts['channels'] & ChatAuthenticatorOptions['channels'] & Pick<ChannelSource, 'list'>
  /** faults of the deployment's files; absent where they are not followed */
  files?: Pick<FollowedDeployment, 'findings'>
  engine: Engine & { reachable(): Promise<void> }
  schedules?: SchedulePorts['engine']
  remote?: ReadPorts['remote_jobs']['engine']
  pipelines: PipelinePorts['pipelines']['workflows']
  notifier: Pick<ReturnType<typeof createRunNotifier>, 'notify'>
  notifications: RunNotifications
  egress: EgressClient
  models: Pick<ModelSource, 'bound'>
  /** a lock that tells other processes that this one is alive */
  locks: Pick<SessionLocks, 'take'>
  /** database of the ask agent; without it the agent is off */
  ask_reads?: AskDb
  intake: ApiDeps['intake']
  /** absent without a console */
  console?: ApiDeps['console']
  hub?: Partial<EventHubOptions>
  /** longest delay before scrapes see a record */
  late_ms?: number
}
