import type { ActionInput, NoticeKind, NoticePlan } from '#core/action-contract.ts'
import type { Json } from '#core/json.ts'
import { type DueNotices, dueNotices } from '#core/notify/due-notices.ts'
import { objectOf, textsOf } from '#core/record-data.ts'
import { isoTime } from '#core/time.ts'
import type { Addressee } from '#store/notice-deliveries.ts'
import type { NoticeView } from '#store/notice-views.ts'
import { addresseesIn } from './addressees.ts'
import { claimedGate } from './claimed-gate.ts'
import type { NoticeDeps } from './deps.ts'

const AFTER_EXPIRY_MS = 10 * 60_000

/** Writes down whom to tell what about a gate by now, from the record alone; whoever asks, and however often, it comes to the same. */
export const createPlanNotices = (deps: NoticeDeps) =>
  async function planNotices(claim: ActionInput): Promise<NoticePlan> {
    const gate = await claimedGate(deps, claim)
    const { gate_id, expires_at } = gate
    const open = gate.status === 'open'
    const { asked_at, now } = await deps.deliveries.asked(gate_id)
    const { kinds, next } = open ? await planAsked(deps, gate, { asked_at, now }) : await planOver(deps, gate)
    return {
      open,
      notices: await deps.deliveries.outstanding(gate_id, kinds),
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
  for (const kind of due.kinds) await deps.deliveries.plan(gate, kind, addresseesOf(deps, gate, kind))
  return due
}

async function planOver(
  { deliveries }: NoticeDeps,
  { gate_id }: NoticeView,
): Promise<{ kinds: NoticeKind[]; next: null }> {
  await deliveries.planResolved(gate_id)
  return { kinds: ['resolved'], next: null }
}

function addresseesOf(deps: NoticeDeps, gate: NoticeView, kind: DueNotices['kinds'][number]): Addressee[] {
  const channels = textsOf(gate.view['channels'])
  const others = textsOf(objectOf(gate.view['sla'])['escalate_to'])
  const names = kind === 'escalated' && others.length > 0 ? others : channels
  return addresseesIn(deps, { gate_id: gate.gate_id }, names)
}

function timeOf(value: Json | undefined): number | null {
  return typeof value === 'string' ? Date.parse(value) : null
}
