import type { NoticeScript } from '#test/support/scripted-notices.ts'

/** One message about a halt or a connection, or of a digest, whose history is recorded under this name. */
export interface HaltScenario {
  name: string
  script: NoticeScript
  delivered: number
}

const MAIL = { channel: 'mail', recipient: 'oncall@example.test' }
const CHAT = { channel: 'chat', recipient: '#ops' }

export const HALT_SCENARIOS: HaltScenario[] = [
  { name: 'halt-told', script: { opened: [MAIL, CHAT] }, delivered: 2 },
  { name: 'halt-channel-comes-back', script: { opened: [MAIL, CHAT], away: { mail: 1 } }, delivered: 2 },
]

export const DIGEST_SCENARIOS: HaltScenario[] = [
  { name: 'digest-told', script: { opened: [MAIL] }, delivered: 1 },
  { name: 'digest-channel-comes-back', script: { opened: [CHAT], away: { chat: 1 } }, delivered: 1 },
]

export const CONNECTION_SCENARIOS: HaltScenario[] = [
  { name: 'connection-told', script: { opened: [MAIL] }, delivered: 1 },
  { name: 'connection-channel-comes-back', script: { opened: [MAIL], away: { mail: 1 } }, delivered: 1 },
]
