import type { SettingRecord } from '#core/config/setting-schema.ts'
import type { Log } from '#core/log.ts'
import type { PipelineEvent } from '#core/pipeline/schema.ts'
import type { ConsoleSource } from '#platform/console/open-console.ts'
import type { IngressAuthenticator } from '#platform/ingress/ingress-authenticator.ts'
import type { Metrics } from '#platform/metrics.ts'
import type { ChannelSource } from '#platform/notify/channel-source.ts'
import type { Chat } from '#services/approvals/chat/answer-in-chat.ts'
import type { LinkPorts } from '#services/approvals/links/link-context.ts'
import type { AskPorts } from '#services/ask/ask-ports.ts'
import type { Authenticator } from '#services/auth/authenticator.ts'
import type { LoginLimits } from '#services/auth/check-password.ts'
import type { Identity } from '#services/auth/identity.ts'
import type { ChannelTestPorts } from '#services/channels/test-channel.ts'
import type { Caller } from '#services/context.ts'
import type { Health } from '#services/health/check-health.ts'
import type { Deployment } from '#services/health/describe-deployment.ts'
import type { Inbox } from '#services/inbox/inbox-route.ts'
import type { IngressContext } from '#services/ingress/receive-ingress.ts'
import type { KnowledgePorts } from '#services/knowledge/knowledge-ports.ts'
import type { MetricText } from '#services/metrics/read-metrics.ts'
import type { ModelAdminPorts, ModelPorts } from '#services/models/model-ports.ts'
import type { IdempotencyKeys, ReadPorts } from '#services/read-ports.ts'
import type { RefusalCounter } from '#services/refusals/count-refusals.ts'
import type { EventHub } from '#services/runs/watch-events.ts'
import type { ServiceDeps } from '#services/service-deps.ts'
import type { WorkspaceDirectory } from '#services/workspaces/workspace-directory.ts'
import type { Authoring } from './create-authoring.ts'
import type { PeekableRateLimit, RateLimit } from './rate-limit.ts'

/** Magic links, and whether their pages are reached over TLS only. */
export interface ApiLinks extends LinkPorts {
  secure_cookies: boolean
}

/** The chats in which gates are answered. */
export interface ApiChat {
  gates: LinkPorts['gates']
  /** tells whether a request is from the chat app of a channel */
  verify(
    channel: string,
    headers: { timestamp: string | undefined; signature: string | undefined },
    body: string,
  ): 'sound' | 'forged' | 'unknown'
  /** undefined when the channel was removed; `dialog` names the form for notes */
  open(channel: string, dialog: string): Chat | undefined
}

/** Acceptance of triggers while a dependency is unavailable. */
export interface Intake {
  /** true while the engine is known to be away */
  away(): boolean
  /** absent when deliveries are not kept */
  inbox?: Inbox
}

/** Signed webhooks: authentication, past deliveries, and rate limits. */
export interface ApiIngress {
  authenticator: IngressAuthenticator
  deliveries: IngressContext['deliveries']
  /** forgeries of one address */
  forgeries: PeekableRateLimit
  /** deliveries of one sender */
  limit: RateLimit
}

/** Channels and settings. */
export interface ApiDeployment extends ChannelTestPorts {
  channels: Pick<ChannelSource, 'list' | 'get' | 'secretProblems'>
  settings(): SettingRecord[]
}

/** The dependencies of the API, built once in its main. */
export interface ApiDeps {
  version: string
  log: Log
  services: ServiceDeps
  reads: ReadPorts
  hub: EventHub
  /** the streams of pipelines */
  pipeline_hub: EventHub<PipelineEvent>
  idempotency: IdempotencyKeys
  /** digest of a body that may hold secrets: keyed where there is a key, so that it cannot be guessed at */
  bodyDigest: (text: string) => string
  auth: Authenticator
  identity: Identity
  logins: LoginLimits
  workspaces: WorkspaceDirectory
  /** requests of one principal */
  limiter: RateLimit
  /** the same for deliveries to triggers */
  delivery_limiter: RateLimit
  /** absent without a master key */
  links?: ApiLinks
  chat: ApiChat
  ingress: ApiIngress
  health(): Promise<Health>
  /** the details for a signed-in user; a user of all workspaces sees every environment */
  describe(workspaceId: string, everywhere: boolean): Promise<Deployment>
  /** further details for users of all workspaces */
  deployment: ApiDeployment
  metrics: Pick<Metrics, 'http'>
  authoring: Authoring
  /** dependencies of model calls, and the read timeout of a streamed answer */
  models: ModelPorts & ModelAdminPorts & { leases: { close(): void }; models: { close(): void }; unread_ms: number }
  /** dependencies of the ask agent, and its rate limit */
  ask: { ports: AskPorts; limit: RateLimit }
  knowledge: KnowledgePorts
  /** records refused writes */
  refusals: RefusalCounter
  /** collects the metrics of a scrape */
  readMetrics(): Promise<MetricText>
  intake: Intake
  /** public address of the API: decides which cookies are possible */
  public_url: string
  /** where the Web UI of Temporal shows a workflow, without its id; absent where nothing serves that */
  temporal_workflows?: string
  /** the build of the console, as far as it is finished */
  console: Pick<ConsoleSource, 'files'>
  /** true where reads are offered to agents at `/mcp` */
  mcp: boolean
  /** true while authentication is off and the server listens on loopback only */
  loopback_only: boolean
}

/** The context of a request for verbs and reads. */
export type RequestContext = Caller & ServiceDeps & ReadPorts
