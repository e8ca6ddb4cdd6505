import { ApplicationFailure } from '@temporalio/common'
import type { ActionActivities, Addressee, NoticeKind, NoticePlan } from '#core/action-contract.ts'
import { poll } from '#platform/embedded/processes.ts'

/** Who is told what about one gate, and which channels are away. */
export interface ActionScript {
  opened: Addressee[]
  /** false when the gate is resolved before anybody is told */
  due?: boolean
  remind_after_ms?: number
  escalate_after_ms?: number
  escalated?: Addressee[]
  expires_after_ms?: number
  ends_after_ms?: number
  /** channel to how many attempts fail before one arrives */
  away?: Record<string, number>
}

export interface Told extends Addressee {
  kind: NoticeKind
}

/** The activities of action workflows without channels or database. */
export function createScriptedActions() {
  const scripts = new Map<string, { script: ActionScript; from: number | undefined; left: Map<string, number> }>()
  const told = new Map<string, Told[]>()
  const attempts = new Map<string, number>()
  const of = (gateId: string) => {
    const found = scripts.get(gateId)
    if (found === undefined) throw ApplicationFailure.nonRetryable(`no script for ${gateId}`)
    return found
  }
  const activities: ActionActivities = {
    async planNotice({ gate_id, kind }): Promise<NoticePlan> {
      const scripted = of(gate_id)
      const { script } = scripted
      // times count from the first plan, as they count from the opening of a gate, however busy the machine is
      scripted.from ??= Date.now()
      const { from } = scripted
      const after = (ms: number | undefined) => (ms === undefined ? null : new Date(from + ms).toISOString())
      const reached = told.get(gate_id) ?? []
      const addressees = {
        opened: script.opened,
        reminder: script.opened,
        escalated: script.escalated ?? script.opened,
        resolved: [...new Map(reached.map(({ channel, recipient }) => [channel, { channel, recipient }])).values()],
      }
      return {
        due: script.due ?? true,
        addressees: addressees[kind],
        remind_at: after(script.remind_after_ms),
        escalate_at: after(script.escalate_after_ms),
        expires_at: after(script.expires_after_ms ?? 3_600_000) ?? '',
        ends_at: after(script.ends_after_ms ?? 3_600_000) ?? '',
      }
    },
    async announceGate({ gate_id, kind, channel, recipient }) {
      const { left } = of(gate_id)
      attempts.set(`${gate_id}/${channel}`, (attempts.get(`${gate_id}/${channel}`) ?? 0) + 1)
      const away = left.get(channel) ?? 0
      if (away > 0) {
        left.set(channel, away - 1)
        throw ApplicationFailure.retryable(`${channel} is away`, 'not_delivered')
      }
      told.set(gate_id, [...(told.get(gate_id) ?? []), { kind, channel, recipient }])
      return { status: 'delivered' }
    },
  }
  return {
    activities,
    script(gateId: string, script: ActionScript): void {
      scripts.set(gateId, { script, from: undefined, left: new Map(Object.entries(script.away ?? {})) })
    },
    told: (gateId: string) => told.get(gateId) ?? [],
    attempts: (gateId: string, channel: string) => attempts.get(`${gateId}/${channel}`) ?? 0,
    /** waits until what was told satisfies `enough` */
    async until(gateId: string, enough: (told: Told[]) => boolean): Promise<void> {
      const there = await poll(async () => (enough(told.get(gateId) ?? []) ? true : undefined), 20_000)
      if (there !== true) throw new Error(`${gateId} told ${JSON.stringify(told.get(gateId))}`)
    },
  }
}

export type ScriptedActions = ReturnType<typeof createScriptedActions>
