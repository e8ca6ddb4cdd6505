import { ApplicationFailure } from '@temporalio/common'
import type { NoticeActivities, NoticeKind, NoticePlan } from '#core/notify/contract.ts'
import { dueNotices } from '#core/notify/due-notices.ts'
import { poll } from '#platform/embedded/processes.ts'
import type { Addressee } from '#store/notices/notice-deliveries.ts'
import { PATIENCE } from './patience.ts'

/** Who is told what about one gate, and which channels are away. */
export interface NoticeScript {
  opened: Addressee[]
  /** the gate is resolved before anybody is told */
  over?: boolean
  remind_after_ms?: number
  escalate_after_ms?: number
  escalated?: Addressee[]
  expires_after_ms?: number
  ends_after_ms?: number
  /** how far the clock of the record is ahead of the engine's */
  ahead_ms?: number
  /** what somebody else answers in the place of the record, before it does */
  forged?: unknown[]
  /** channel to how many attempts fail before one arrives */
  away?: Record<string, number>
}

export interface Reported extends Addressee {
  kind: NoticeKind
}

interface Scripted {
  script: NoticeScript
  /** times count from the first plan, as they count from the opening of a gate, however busy the machine is */
  from: number | undefined
  over: boolean
  left: Map<string, number>
  forged: unknown[]
  /** the id of a notice is its place here */
  planned: Reported[]
  reported: Reported[]
}

/** The activities of the workflows of notices without channels or database. */
export function createScriptedNotices() {
  const scripts = new Map<string, Scripted>()
  const attempts = new Map<string, number>()
  const of = (gateId: string) => {
    const found = scripts.get(gateId)
    if (found === undefined) throw ApplicationFailure.nonRetryable(`no script for ${gateId}`)
    return found
  }
  const same = (a: Reported, b: Reported) => a.kind === b.kind && a.channel === b.channel && a.recipient === b.recipient
  const attempt = (about: string, channel: string, left: Map<string, number>) => {
    attempts.set(`${about}/${channel}`, (attempts.get(`${about}/${channel}`) ?? 0) + 1)
    const away = left.get(channel) ?? 0
    if (away === 0) return
    left.set(channel, away - 1)
    throw ApplicationFailure.retryable(`${channel} is away`, 'not_delivered')
  }
  const activities: NoticeActivities = {
    async planNotices({ gate_id }): Promise<NoticePlan> {
      const scripted = of(gate_id)
      const { script, over, planned, reported } = scripted
      if (scripted.forged.length > 0) return scripted.forged.shift() as NoticePlan
      const asked = scripted.from ?? Date.now()
      scripted.from = asked
      const at = (after: number | undefined) => (after === undefined ? null : asked + after)
      const due = dueNotices({
        now: Date.now(),
        asked,
        remind: at(script.remind_after_ms),
        escalate: at(script.escalate_after_ms),
      })
      const asking = due.kinds.flatMap((kind) =>
        (kind === 'escalated' ? (script.escalated ?? script.opened) : script.opened).map((to) => ({ kind, ...to })),
      )
      const wanted = over ? reported.map((each) => ({ ...each, kind: 'resolved' as const })) : asking
      for (const each of wanted) if (!planned.some((other) => same(each, other))) planned.push(each)
      const iso = (ms: number) => new Date(ms + (script.ahead_ms ?? 0)).toISOString()
      return {
        open: !over,
        notices: planned.flatMap((each, index) =>
          wanted.some((other) => same(each, other)) && !reported.some((other) => same(each, other))
            ? [{ notice_id: index + 1, kind: each.kind, channel: each.channel }]
            : [],
        ),
        now: iso(Date.now()),
        next_at: over || due.next === null ? null : iso(due.next),
        expires_at: iso(asked + (script.expires_after_ms ?? 3_600_000)),
        ends_at: iso(asked + (script.ends_after_ms ?? 3_600_000)),
      }
    },
    async announceGate({ gate_id, notice_id }) {
      const { left, planned, reported } = of(gate_id)
      const notice = planned[notice_id - 1]
      if (notice === undefined) throw ApplicationFailure.nonRetryable('no such notice')
      attempt(gate_id, notice.channel, left)
      reported.push(notice)
      return { status: 'delivered' }
    },
    async planEnd({ run_id }) {
      const { forged } = of(run_id)
      if (forged.length > 0) return forged.shift() as never
      return of(run_id).script.opened.map(({ channel }, index) => ({ notice_id: index + 1, kind: 'ended', channel }))
    },
    async planHalt({ halt_id }) {
      const { forged } = of(halt_id)
      if (forged.length > 0) return forged.shift() as never
      return of(halt_id).script.opened.map(({ channel }, index) => ({
        notice_id: index + 1,
        kind: 'halt_set',
        channel,
      }))
    },
    async announceHalt({ halt_id, notice_id }) {
      const { script, left } = of(halt_id)
      attempt(halt_id, script.opened[notice_id - 1]?.channel ?? '', left)
      return { status: 'delivered' }
    },
    async planConnection({ authorization_id }) {
      const { forged } = of(authorization_id)
      if (forged.length > 0) return forged.shift() as never
      return of(authorization_id).script.opened.map(({ channel }, index) => ({
        notice_id: index + 1,
        kind: 'connection_failed',
        channel,
      }))
    },
    async announceConnection({ authorization_id, notice_id }) {
      const { script, left } = of(authorization_id)
      attempt(authorization_id, script.opened[notice_id - 1]?.channel ?? '', left)
      return { status: 'delivered' }
    },
    async planDigest({ digest_id }) {
      const { forged } = of(digest_id)
      if (forged.length > 0) return forged.shift() as never
      return of(digest_id).script.opened.map(({ channel }, index) => ({
        notice_id: index + 1,
        kind: 'digest',
        channel,
      }))
    },
    async announceDigest({ digest_id, notice_id }) {
      const { script, left } = of(digest_id)
      attempt(digest_id, script.opened[notice_id - 1]?.channel ?? '', left)
      return { status: 'delivered' }
    },
    async announceEnd({ run_id, notice_id }) {
      const { script, left } = of(run_id)
      attempt(run_id, script.opened[notice_id - 1]?.channel ?? '', left)
      return { status: 'delivered' }
    },
  }
  return {
    activities,
    /** a gate has one script, however often it is started */
    script(gateId: string, script: NoticeScript): void {
      if (scripts.has(gateId)) return
      scripts.set(gateId, {
        ...{ script, from: undefined, over: script.over ?? false, planned: [], reported: [] },
        left: new Map(Object.entries(script.away ?? {})),
        forged: [...(script.forged ?? [])],
      })
    },
    /** the record says that the gate is resolved */
    resolve(gateId: string): void {
      of(gateId).over = true
    },
    reported: (gateId: string) => scripts.get(gateId)?.reported ?? [],
    attempts: (gateId: string, channel: string) => attempts.get(`${gateId}/${channel}`) ?? 0,
    /** waits until what was told satisfies `enough` */
    async until(gateId: string, enough: (reported: Reported[]) => boolean): Promise<void> {
      const there = await poll(async () => (enough(of(gateId).reported) ? true : undefined), PATIENCE.timeout)
      if (there !== true) throw new Error(`${gateId} told ${JSON.stringify(of(gateId).reported)}`)
    },
  }
}

export type ScriptedNotices = ReturnType<typeof createScriptedNotices>
