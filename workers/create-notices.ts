import type { Client } from '@temporalio/client'
import { createNoticeActivities } from '#activities/notify/index.ts'
import type { Environment } from '#core/environment/environment.ts'
import type { Ids } from '#core/id.ts'
import type { NoticeActivities } from '#core/notify/contract.ts'
import type { Clock } from '#core/time/time.ts'
import type { Config } from '#platform/config.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { createLinks, linkProblem } from '#platform/links.ts'
import type { Logger } from '#platform/logger.ts'
import { createChannelSource } from '#platform/notify/channel-source.ts'
import { createSenders } from '#platform/notify/senders.ts'
import { createNoticeWorkflows } from '#platform/temporal/notice-workflows.ts'
import type { VotePorts } from '#services/approvals/current-votes.ts'
import { createLinkIssuer } from '#services/approvals/links/issue-link.ts'
import { createNoticeGates } from '#services/approvals/notice-gates.ts'
import type { Db } from '#store/db.ts'
import { createGateDecisions } from '#store/gates/gate-decisions.ts'
import { createMagicLinks } from '#store/gates/magic-links.ts'
import { createHaltRefusals } from '#store/halt-refusals.ts'
import { createHaltStore } from '#store/halts.ts'
import { createConnectionNotices } from '#store/notices/connection-notices.ts'
import { createEndViews } from '#store/notices/end-views.ts'
import { createGateNotices } from '#store/notices/gate-notices.ts'
import { createHaltNotices } from '#store/notices/halt-notices.ts'
import { createNoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import { createNoticeDigests } from '#store/notices/notice-digests.ts'
import { createNoticeViews } from '#store/notices/notice-views.ts'
import { createUserStore } from '#store/users.ts'
import { createNoticeLoop } from './loops/notices.ts'

export interface NoticesOptions {
  config: Config
  db: Db
  /** decides which votes count */
  votes: VotePorts
  client: Client
  environments: { get(name: string): Environment | undefined; list(): readonly Environment[] }
  /** the variables that secret references name */
  env: Record<string, string | undefined>
  egress: EgressClient
  ids: Ids
  leading(): boolean
  clock: Clock
  log: Logger
}

/** Sends notices about gates, ends of runs, halts and connections, from the outbox to the channels. */
export function createNotices(options: NoticesOptions): {
  activities: NoticeActivities
  start(): void
  stop(): Promise<void>
} {
  const { config, db, env, environments, egress, ids, clock, log } = options
  const { secretKey, publicUrl } = config
  const channels = createChannelSource({ home: config.home, log, env })
  const unreachable = linkProblem(publicUrl, channels.list())
  if (unreachable !== undefined) log.warn({ public_url: publicUrl }, unreachable)
  const senders = createSenders({ egress, secret: channels.secret, now: clock })
  const issueLink =
    secretKey === undefined
      ? undefined
      : createLinkIssuer({
          links: createMagicLinks(db),
          signer: createLinks({ master_key: secretKey, clock }),
          ids,
          public_url: publicUrl,
        })
  const halt_notices = createHaltNotices(db)
  const digests = createNoticeDigests(db)
  const connection_notices = createConnectionNotices(db)
  const activities = createNoticeActivities({
    claims: { decisions: createGateDecisions(db), clock, ids },
    gates: createNoticeGates(createNoticeViews(db), options.votes),
    ends: createEndViews(db),
    deliveries: createNoticeDeliveries(db),
    halts: createHaltStore(db),
    halt_notices,
    connection_notices,
    digests,
    halt_refusals: createHaltRefusals(db),
    users: createUserStore(db),
    environments: environments.list,
    channels,
    send: senders.send,
    issueLink,
    // an unknown environment allows no links
    linksAllowed: (name) => environments.get(name)?.approval.links ?? false,
    open: config.auth.jwtSecret === undefined,
    settings: environments.get,
    public_url: publicUrl,
    clock,
    log,
  })
  const notices = createGateNotices(db)
  const loop = createNoticeLoop({
    notices,
    halts: halt_notices,
    digests,
    connections: connection_notices,
    workflows: createNoticeWorkflows(options.client),
    notifyOf: (name) => environments.get(name)?.notify,
    leading: options.leading,
    log,
  })
  return {
    activities,
    start: loop.start,
    async stop() {
      await loop.stop()
      channels.close()
    },
  }
}
