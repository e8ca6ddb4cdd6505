import { scopeText, setterFor } from '#core/halt/halt.ts'
import type { Announced, AnnounceHaltClaim, HaltInput, HaltNoticeKind, PlannedNotice } from '#core/notify/contract.ts'
import { haltAudience } from '#core/notify/halt-audience.ts'
import type { HaltNotice } from '#core/notify/types.ts'
import { isoTime } from '#core/time/time.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import { liftersFor } from '#services/halts/halts.ts'
import type { HaltView } from '#store/notices/halt-notices.ts'
import { deliver } from './deliver.ts'
import type { NoticeDeps } from './deps.ts'
import { addresseesIn } from './plan-notices.ts'

/** Records the recipients of the next message about a halt, from the record alone. Idempotent. */
export const createPlanHalt = (deps: NoticeDeps) =>
  async function planHalt(claim: HaltInput): Promise<PlannedNotice<HaltNoticeKind>[]> {
    const { halt_id, notice } = claim
    const halt = await claimedHalt(deps, claim)
    if (notice > halt.notices || (notice === halt.notices && !halt.is_due))
      throw await refuseClaim(deps.claims, 'unknown_notice', halt_id, { notice })
    if (notice >= halt.notices - 1) {
      const kind = halt.lifted !== null ? 'halt_lifted' : notice === 0 ? 'halt_set' : 'halt_refused'
      await deps.deliveries.planHalt(claim, kind, await addresseesOf(deps, halt, kind))
    }
    return await deps.deliveries.outstandingOfHalt(claim)
  }

async function addresseesOf(deps: NoticeDeps, halt: HaltView, kind: HaltNoticeKind) {
  const reached = new Set<string>()
  const addressees = []
  for (const [channel, served] of haltAudience(halt.scope, halt.workspaces, deps.environments())) {
    const isOfInterest = kind !== 'halt_refused' || (await deps.halt_refusals.summary(halt.id, served)).starts > 0
    if (!isOfInterest) continue
    for (const each of addresseesIn(deps, { halt_id: halt.id }, [channel])) {
      // one message each, even if several channels reach them
      if (reached.has(each.recipient)) continue
      reached.add(each.recipient)
      addressees.push({ ...each, workspace_id: served[0] ?? '' })
    }
  }
  return addressees
}

/** Sends one planned message to its recipient, unless the halt has been lifted since: then only the lift is announced. */
export const createAnnounceHalt = (deps: NoticeDeps) =>
  async function announceHalt(claim: AnnounceHaltClaim): Promise<Announced> {
    const { halt_id, notice_id } = claim
    const halt = await claimedHalt(deps, claim)
    const planned = await deps.deliveries.find(notice_id)
    if (planned === undefined || planned.halt_id !== halt_id)
      throw await refuseClaim(deps.claims, 'unknown_notice', halt_id, { notice_id })
    const { kind, channel } = planned
    if (planned.status === 'delivered' || (halt.lifted !== null && kind !== 'halt_lifted')) return { status: 'skipped' }
    return await deliver(deps, planned, async () => ({
      notice: await haltNotice(deps, halt, { kind, channel, notice: claim.notice }),
      previous: await deps.deliveries.referenceOfHalt(halt_id, planned),
    }))
  }

/** The message for one channel: it names nobody for a halt of all workspaces, and counts refusals of its own workspaces only. */
async function haltNotice(
  deps: NoticeDeps,
  halt: HaltView,
  about: { kind: HaltNoticeKind; channel: string; notice: number },
): Promise<HaltNotice> {
  const { id, scope, reason, created_at: since, lifted } = halt
  const served = haltAudience(scope, halt.workspaces, deps.environments()).get(about.channel) ?? []
  // of the readers of a channel no role is known
  const readers = { workspaces: served, roles: [], scopes: [] }
  const named = halt.workspaces.find((each) => each.id === scope.workspace)
  const lifters = await deps.users.admins()
  return {
    id: `${id.replace(/^halt_/, 'ntf_')}.${about.notice}`,
    kind: `svc.halt.${KINDS[about.kind]}`,
    time: about.kind === 'halt_lifted' && lifted !== null ? lifted.at : since,
    sent_at: isoTime(deps.clock()),
    workspace_id: served[0] ?? scope.workspace ?? '',
    halt: {
      id,
      reason,
      since,
      covers: scopeText({ ...scope, ...(named !== undefined && { workspace: named.name }) }),
      set_by: setterFor(readers, halt).display,
      may_lift: liftersFor(readers, halt, lifters),
      refused: await deps.halt_refusals.summary(id, served),
      ...(lifted !== null && { lifted: { by: setterFor(readers, { scope, by: lifted.by }).display, at: lifted.at } }),
    },
    links: { console: `${deps.public_url}/console/admin?part=halts&name=${id}` },
  }
}

const KINDS = { halt_set: 'set', halt_refused: 'refused', halt_lifted: 'lifted' } as const

async function claimedHalt({ halt_notices, claims }: NoticeDeps, { halt_id, notice }: HaltInput): Promise<HaltView> {
  const halt = await halt_notices.find(halt_id)
  if (halt === undefined) throw await refuseClaim(claims, 'unknown_notice', halt_id, { notice })
  return halt
}
