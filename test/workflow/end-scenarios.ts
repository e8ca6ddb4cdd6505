import type { NoticeScript } from '#test/support/scripted-notices.ts'

/** One telling of how a run ended whose history is recorded under this name. */
export interface EndScenario {
  name: string
  script: NoticeScript
  delivered: number
}

const MAIL = { channel: 'mail', recipient: 'oncall@example.test' }
const CHAT = { channel: 'chat', recipient: '#ops' }

export const END_SCENARIOS: EndScenario[] = [
  { name: 'end-told', script: { opened: [MAIL, CHAT] }, delivered: 2 },
  { name: 'end-of-no-interest', script: { opened: [] }, delivered: 0 },
  { name: 'end-channel-comes-back', script: { opened: [MAIL, CHAT], away: { mail: 1 } }, delivered: 2 },
]
