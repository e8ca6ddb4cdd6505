import type { GateNoticesResult } from '#core/notify/contract.ts'
import type { NoticeScript, ScriptedNotices } from '#test/support/scripted-notices.ts'
import type { ScriptedGateNotices } from '#test/support/scripted-runs.ts'

/** One life of a gate's notices whose history is recorded under this name. */
export interface GateNoticeScenario {
  name: string
  script: NoticeScript
  play?(notices: ScriptedGateNotices, scripted: ScriptedNotices): Promise<void>
  delivered: GateNoticesResult['delivered']
}

const MAIL = { channel: 'mail', recipient: 'oncall@example.test' }
const CHAT = { channel: 'chat', recipient: '#ops' }
const BOSS = { channel: 'boss', recipient: 'boss@example.test' }

/** Ends the notices as soon as `count` of them have arrived. */
const resolvedAfter = (count: number) => async (notices: ScriptedGateNotices, scripted: ScriptedNotices) => {
  await scripted.until(notices.gate_id, (reported) => reported.length >= count)
  await notices.resolve()
}

export const GATE_NOTICE_SCENARIOS: GateNoticeScenario[] = [
  {
    name: 'action-stood-down',
    script: { opened: [MAIL, CHAT] },
    play: resolvedAfter(2),
    delivered: { opened: 2, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 2 },
  },
  {
    name: 'action-reminded-and-escalated',
    script: { opened: [MAIL], remind_after_ms: 1_000, escalate_after_ms: 1_500, escalated: [BOSS, CHAT] },
    play: resolvedAfter(4),
    delivered: { opened: 1, reminder: 1, escalated: 2, answered_for_you: 0, resolved: 3 },
  },
  {
    name: 'action-resolved-before-told',
    script: { opened: [MAIL], over: true },
    delivered: { opened: 0, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 0 },
  },
  {
    name: 'action-expired',
    script: { opened: [MAIL], expires_after_ms: 500, ends_after_ms: 1_500 },
    delivered: { opened: 1, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 0 },
  },
  {
    name: 'action-channel-away',
    script: { opened: [MAIL, CHAT], away: { mail: 1_000 } },
    play: resolvedAfter(1),
    delivered: { opened: 1, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 1 },
  },
  {
    name: 'action-stood-down-by-nobody',
    script: { opened: [MAIL], ends_after_ms: 2_500 },
    play: async (notices, scripted) => {
      await scripted.until(notices.gate_id, (reported) => reported.length >= 1)
      await notices.signal()
    },
    delivered: { opened: 1, reminder: 0, escalated: 0, answered_for_you: 0, resolved: 0 },
  },
]
