import { ApplicationFailure } from '@temporalio/common'
import type { Addressee, NoticePlan, PlanNoticeInput } from '#core/action-contract.ts'
import type { Json } from '#core/json.ts'
import { recipientsOf } from '#core/notify/recipients.ts'
import { isoTime } from '#core/time.ts'
import type { NoticeView } from '#store/notice-views.ts'
import type { NoticeDeps } from './deps.ts'

const AFTER_EXPIRY_MS = 10 * 60_000

/** Finds out whom a notice goes to now, and when the next ones are due. Only what still matters is due. */
export const createPlanNotice = (deps: NoticeDeps) =>
  async function planNotice({ gate_id, kind }: PlanNoticeInput): Promise<NoticePlan> {
    const gate = await deps.gates.find(gate_id)
    if (gate === undefined) throw ApplicationFailure.nonRetryable('there is no such gate', 'not_found')
    const sla = objectOf(gate.view['sla'])
    const times = {
      remind_at: textOf(sla['remind_at']),
      escalate_at: textOf(sla['escalate_at']),
      expires_at: gate.expires_at,
      ends_at: isoTime(Date.parse(gate.expires_at) + AFTER_EXPIRY_MS),
    }
    if (kind === 'resolved') return { due: true, addressees: await deps.deliveries.told(gate_id), ...times }
    if (gate.status !== 'open') return { due: false, addressees: [], ...times }
    return { due: true, addressees: addresseesOf(deps, gate, kind), ...times }
  }

function addresseesOf(deps: NoticeDeps, gate: NoticeView, kind: 'opened' | 'reminder' | 'escalated'): Addressee[] {
  const channels = namesIn(gate.view['channels'])
  const others = namesIn(objectOf(gate.view['sla'])['escalate_to'])
  const names = kind === 'escalated' && others.length > 0 ? others : channels
  return [...new Set(names)].flatMap((name) => {
    const channel = deps.channels.get(name)
    if (channel === undefined)
      deps.log.warn({ gate_id: gate.gate_id, channel: name }, 'a gate names a channel that there is not')
    return channel === undefined
      ? []
      : recipientsOf(channel).map(({ address }) => ({ channel: name, recipient: address }))
  })
}

function objectOf(value: Json | undefined): Record<string, Json | undefined> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}

function namesIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}
