import type { Environment } from '#core/environment/environment.ts'
import { DEFAULT_WORKSPACE_ID } from '#core/id.ts'
import type {
  AnnounceConnectionClaim,
  Announced,
  ConnectionInput,
  ConnectionNoticeKind,
  PlannedNotice,
} from '#core/notify/contract.ts'
import type { ConnectionNotice } from '#core/notify/types.ts'
import { isoTime } from '#core/time/time.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { ConnectionEvent, ConnectionNoticeView } from '#store/notices/connection-notices.ts'
import type { Addressee } from '#store/notices/notice-deliveries.ts'
import { deliver } from './deliver.ts'
import type { NoticeDeps } from './deps.ts'
import { addresseesIn } from './plan-notices.ts'

type Current = ConnectionNoticeView & { event: ConnectionEvent }

/** Records the recipients of a message about an authorisation, from the record alone. Idempotent. */
export const createPlanConnection = (deps: NoticeDeps) =>
  async function planConnection(claim: ConnectionInput): Promise<PlannedNotice<ConnectionNoticeKind>[]> {
    const view = await currentOf(deps, claim)
    if (view === undefined) return []
    const { connection_id, event } = view
    const about = { connection_id, kind: `connection_${event}` } as const
    return await deps.deliveries.planConnection(claim, about, addresseesOf(deps, view))
  }

/** Sends one planned message, unless what it tells is over. */
export const createAnnounceConnection = (deps: NoticeDeps) =>
  async function announceConnection(claim: AnnounceConnectionClaim): Promise<Announced> {
    const { authorization_id, notice_id } = claim
    const planned = await deps.deliveries.find(notice_id)
    if (planned?.authorization_id !== authorization_id)
      throw await refuseClaim(deps.claims, 'unknown_notice', authorization_id, { notice_id })
    const view = await currentOf(deps, claim)
    if (planned.status === 'delivered' || view === undefined) return { status: 'skipped' }
    return await deliver(deps, planned, async () => ({ notice: noticeOf(deps, view, claim), previous: undefined }))
  }

/** What a message tells; undefined when it is over, or a later message tells of a worse state. */
async function currentOf(
  { connection_notices, claims }: NoticeDeps,
  { authorization_id, notice }: ConnectionInput,
): Promise<Current | undefined> {
  const view = await connection_notices.find(authorization_id)
  if (view !== undefined && notice > view.notices)
    throw await refuseClaim(claims, 'unknown_notice', authorization_id, { notice })
  if (view === undefined || view.event === null) return undefined
  const isLast = notice === view.notices || view.event === 'ends'
  return isLast ? { ...view, event: view.event } : undefined
}

/**
 * The owners, by the first channel that can address a person by their mail address; where there is none, everybody whom the environment of the
 * authorisation names.
 */
function addresseesOf(
  deps: NoticeDeps,
  { authorization_id, connection_id, name, environment, owners }: Current,
): Addressee[] {
  const refers = ({ connections }: Environment) =>
    Object.values(connections ?? {}).some(
      ({ url }) => url === `connection:${name}` || url === `connection:${connection_id}`,
    )
  const own = deps.environments().filter((each) => each.name === environment)
  const others = deps.environments().filter((each) => each.name !== environment && refers(each))
  const channels = [...own, ...others].flatMap(channelsOf)
  const channel = channels.find((each) => deps.channels.get(each)?.reaches_people)
  if (channel !== undefined && owners.length > 0) return owners.map((recipient) => ({ channel, recipient }))
  return addresseesIn(deps, { authorization_id }, own.flatMap(channelsOf))
}

const channelsOf = ({ approval, notify }: Environment) => [
  ...approval.channels,
  ...approval.escalate_to,
  ...(notify?.channels ?? []),
]

function noticeOf(
  { public_url, clock }: NoticeDeps,
  { authorization_id, connection_id: id, name, event, detail, since, expires_at }: Current,
  { notice }: ConnectionInput,
): ConnectionNotice {
  return {
    id: `${authorization_id.replace(/^grt_/, 'ntf_')}.${notice}`,
    kind: `svc.connection.${event}`,
    time: since,
    sent_at: isoTime(clock()),
    workspace_id: DEFAULT_WORKSPACE_ID,
    connection: { id, name, detail, since, expires_at },
    links: { console: `${public_url}/console/admin?part=connections&name=${name}` },
  }
}
