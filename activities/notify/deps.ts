import type { Environment } from '#core/environment/environment.ts'
import type { Log } from '#core/log.ts'
import type { SendResult } from '#core/notify/types.ts'
import type { Clock } from '#core/time/time.ts'
import type { Channel, Message } from '#platform/notify/channel-kind.ts'
import type { LinkIssuer } from '#services/approvals/links/issue-link.ts'
import type { NoticeGates } from '#services/approvals/notice-gates.ts'
import type { ClaimPorts } from '#services/approvals/refuse-claim.ts'
import type { HaltRefusals } from '#store/halt-refusals.ts'
import type { HaltStore } from '#store/halts.ts'
import type { ConnectionNotices } from '#store/notices/connection-notices.ts'
import type { EndViews } from '#store/notices/end-views.ts'
import type { HaltNotices } from '#store/notices/halt-notices.ts'
import type { NoticeDeliveries } from '#store/notices/notice-deliveries.ts'
import type { NoticeDigests } from '#store/notices/notice-digests.ts'
import type { UserStore } from '#store/users.ts'

/** What notices about gates, ends of runs, halts and connections need. */
export interface NoticeDeps {
  claims: ClaimPorts
  gates: NoticeGates
  /** runs that have ended */
  ends: EndViews
  deliveries: NoticeDeliveries
  digests: Pick<NoticeDigests, 'find'>
  halt_notices: HaltNotices
  connection_notices: Pick<ConnectionNotices, 'find'>
  halt_refusals: Pick<HaltRefusals, 'summary'>
  users: Pick<UserStore, 'admins'>
  halts: Pick<HaltStore, 'covering'>
  channels: { get(name: string): Channel | undefined }
  /** one attempt to deliver a notice */
  send(channel: Channel, message: Message): Promise<SendResult>
  /** undefined where there is no key to sign links with */
  issueLink: LinkIssuer | undefined
  /** whether notices from this environment may carry links */
  linksAllowed(environment: string): boolean
  /** authentication is off */
  open: boolean
  /** what an environment says of who is told; undefined where there is none of that name */
  settings(environment: string): Pick<Environment, 'notify' | 'approval'> | undefined
  /** all environments */
  environments(): readonly Environment[]
  /** base address under which people reach the API */
  public_url: string
  clock: Clock
  log: Pick<Log, 'warn'>
}
