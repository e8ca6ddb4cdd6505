import { type Json, objectOf, textsOf } from '#core/json/json.ts'
import type { GateNoticesInput, NoticeKind, NoticePlan } from '#core/notify/contract.ts'
import { type DueNotices, dueNotices } from '#core/notify/due-notices.ts'
import { isoTime } from '#core/time/time.ts'
import type { NoticeView } from '#services/approvals/notice-gates.ts'
import { refuseClaim } from '#services/approvals/refuse-claim.ts'
import type { Addressee, DigestAddressee } from '#store/notices/notice-deliveries.ts'
import type { NoticeDeps } from './deps.ts'

const AFTER_EXPIRY_MS = 10 * 60_000

/** Writes down whom to tell what about a gate now, from the record alone. Idempotent. */
export const createPlanNotices = (deps: NoticeDeps) =>
  async function planNotices(claim: GateNoticesInput): Promise<NoticePlan> {
    const gate = await claimedGate(deps, claim)
    const { gate_id, expires_at } = gate
    const open = gate.status === 'open'
    await planAnswered(deps, gate)
    const { asked_at, now } = await deps.deliveries.asked(gate_id)
    const { kinds, next } = open ? await planAsked(deps, gate, { asked_at, now }) : await planOver(deps, gate)
    return {
      open,
      notices: await deps.deliveries.outstanding(gate_id, ['answered_for_you', ...kinds]),
      now,
      next_at: next === null ? null : isoTime(next),
      expires_at,
      ends_at: isoTime(Date.parse(expires_at) + AFTER_EXPIRY_MS),
    }
  }

async function planAsked(
  deps: NoticeDeps,
  gate: NoticeView,
  { asked_at, now }: { asked_at: string | null; now: string },
): Promise<DueNotices> {
  const sla = objectOf(gate.view['sla'])
  const due = dueNotices({
    now: Date.parse(now),
    asked: timeOf(asked_at),
    remind: timeOf(sla['remind_at']),
    escalate: timeOf(sla['escalate_at']),
  })
  for (const kind of due.kinds)
    await deps.deliveries.plan(
      gate,
      kind,
      addresseesOf(deps, gate, kind).map((each) => withDigest(deps, each)),
    )
  return due
}

async function planOver(
  { deliveries }: NoticeDeps,
  { gate_id }: NoticeView,
): Promise<{ kinds: NoticeKind[]; next: null }> {
  await deliveries.planResolved(gate_id)
  return { kinds: ['resolved'], next: null }
}

/** A person for whom an account has answered is told, through the first channel of the gate that can address them. */
async function planAnswered(deps: NoticeDeps, gate: NoticeView): Promise<void> {
  const { channels, escalate_to } = namedIn(gate)
  const channel = [...channels, ...escalate_to].find((name) => deps.channels.get(name)?.reaches_people)
  if (channel === undefined) return
  const answered = await deps.gates.answeredFor(gate.gate_id)
  const recipients = [...new Set(answered.map(({ email }) => email))]
  if (recipients.length === 0) return
  await deps.deliveries.planAnswered(
    gate,
    recipients.map((recipient) => ({ channel, recipient })),
  )
}

function addresseesOf(deps: NoticeDeps, gate: NoticeView, kind: DueNotices['kinds'][number]): Addressee[] {
  const { channels, escalate_to } = namedIn(gate)
  const names = kind === 'escalated' && escalate_to.length > 0 ? escalate_to : channels
  return addresseesIn(deps, { gate_id: gate.gate_id }, names)
}

function namedIn({ view }: NoticeView): { channels: string[]; escalate_to: string[] } {
  return { channels: textsOf(view['channels']), escalate_to: textsOf(objectOf(view['sla'])['escalate_to']) }
}

function timeOf(value: Json | undefined): number | null {
  return typeof value === 'string' ? Date.parse(value) : null
}

/** The gate that a claim is about, if it is the one that it says. */
export async function claimedGate(
  { gates, claims }: NoticeDeps,
  { gate_id, run_id, workspace_id }: GateNoticesInput,
): Promise<NoticeView> {
  const gate = await gates.find(gate_id)
  if (gate?.run_id !== run_id) throw await refuseClaim(claims, 'foreign_gate', run_id, { gate_id })
  if (gate.workspace_id !== workspace_id) throw await refuseClaim(claims, 'foreign_workspace', run_id, { gate_id })
  return gate
}

/** Everybody whom these channels name, once each. An unknown channel is logged, and names nobody. */
export function addresseesIn(
  { channels, log }: Pick<NoticeDeps, 'channels' | 'log'>,
  about: object,
  names: readonly string[],
): Addressee[] {
  return [...new Set(names)].flatMap((name) => {
    const channel = channels.get(name)
    if (channel === undefined) log.warn({ ...about, channel: name }, 'unknown channel')
    return channel === undefined ? [] : channel.addresses.map((recipient) => ({ channel: name, recipient }))
  })
}

/** A recipient, with the limit of their channel beyond which a digest takes their notices. */
export function withDigest({ channels, claims }: NoticeDeps, addressee: Addressee): DigestAddressee {
  const { per_minute = 0, edits = false } = channels.get(addressee.channel) ?? {}
  if (per_minute === 0) return addressee
  return { ...addressee, fold: { per_minute, edits, digest_id: claims.ids.next('digest') } }
}
