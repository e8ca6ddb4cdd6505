import { alertFacts } from '#core/notify/alert-facts.ts'
import type {
  AnnounceDigestClaim,
  Announced,
  DigestInput,
  DigestNoticeKind,
  PlannedNotice,
} from '#core/notify/contract.ts'
import type { DigestNotice } from '#core/notify/types.ts'
import { isoTime } from '#core/time/time.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { DigestView } from '#store/notices/notice-digests.ts'
import { deliver } from './deliver.ts'
import type { NoticeDeps } from './deps.ts'

/** Records the next message of a digest, from the record alone. Idempotent. */
export const createPlanDigest = (deps: NoticeDeps) =>
  async function planDigest(claim: DigestInput): Promise<PlannedNotice<DigestNoticeKind>[]> {
    const digest = await claimedDigest(deps, claim)
    const { digest_id, notice } = claim
    if (notice > digest.notices || (notice === digest.notices && !digest.is_due))
      throw await refuseClaim(deps.claims, 'unknown_notice', digest_id, { notice })
    return await deps.deliveries.planDigest(claim)
  }

/** Tells the recipient of a digest what waits for them now. */
export const createAnnounceDigest = (deps: NoticeDeps) =>
  async function announceDigest(claim: AnnounceDigestClaim): Promise<Announced> {
    const { digest_id, notice, notice_id } = claim
    const digest = await claimedDigest(deps, claim)
    const planned = await deps.deliveries.find(notice_id)
    const { kind } = planned ?? {}
    if (planned?.digest_id !== digest_id || (kind !== 'digest' && kind !== 'digest_edit'))
      throw await refuseClaim(deps.claims, 'unknown_notice', digest_id, { notice_id })
    if (planned.status === 'delivered') return { status: 'skipped' }
    if (notice < digest.notices - 1) {
      await deps.deliveries.record(notice_id, { ok: false, detail: 'a later message of the digest tells more' })
      return { status: 'skipped' }
    }
    return await deliver(deps, planned, async () => ({
      notice: digestNotice(deps, digest, { kind, notice }),
      previous: await deps.deliveries.referenceOfDigest(digest_id),
    }))
  }

function digestNotice(
  { clock, public_url }: NoticeDeps,
  digest: DigestView,
  { kind, notice }: { kind: DigestNoticeKind; notice: number },
): DigestNotice {
  const { id, workspace_id, created_at, first, waiting, shared, answered, ended, failed } = digest
  const search = new URLSearchParams({ workspace: workspace_id })
  for (const [name, value] of Object.entries(shared)) if (value !== null) search.set(name, value)
  return {
    id: `${id.replace(/^dgs_/, 'ntf_')}.${notice}`,
    kind: kind === 'digest' ? 'svc.digest.sent' : 'svc.digest.changed',
    time: created_at,
    sent_at: isoTime(clock()),
    workspace_id,
    digest: {
      id,
      since: created_at,
      waiting,
      answered,
      ended,
      failed,
      first: first.map(({ alert, ...gate }) => ({ ...gate, ...(alert !== null && { alert: alertFacts(alert) }) })),
    },
    links: { console: `${public_url}/console/gates?${search}` },
  }
}

async function claimedDigest({ digests, claims }: NoticeDeps, { digest_id, notice }: DigestInput): Promise<DigestView> {
  const digest = await digests.find(digest_id)
  if (digest === undefined) throw await refuseClaim(claims, 'unknown_notice', digest_id, { notice })
  return digest
}
