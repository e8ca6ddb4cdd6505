import { setTimeout as pause } from 'node:timers/promises'
import { GATE_NOTICES_WORKFLOW, gateNoticesWorkflowId } from '#core/notify/contract.ts'
import { linkIn } from '#test/support/notified-service.ts'
import { type Action, attempt, type Did, type Situation } from '../attempt.ts'
import { activityCommand } from '../foreign-worker.ts'
import { QUEUES } from '../names.ts'

const NOTIFY = 'announceGate'
const PLAN = 'planNotices'
const LEDGER = QUEUES.at(-1) ?? ''
const MAIL_WITHIN_MS = 2_500
const WAYS = ['addressed', 'addressed', 'planned', 'any notice'] as const

/** Has the service mail a gate's magic link to somebody whom nobody named, who then follows it and says yes. */
export const mailLink: Action = { weight: 3, act }

async function act({ world, dice, run, runs, knowledge }: Situation): Promise<Did> {
  const mailed = runs.filter((each) => each.kind === 'mailed')
  const aim = dice.chance(0.8) ? dice.pick(mailed) : run
  const gate = await knowledge.gateOf(aim)
  if (gate === undefined) return { variant: 'no gate yet', result: 'nothing' }
  const recipient = `mallory-${dice.hex(8)}@elsewhere.test`
  const kind = dice.pick(['opened', 'opened', 'reminder', 'escalated', 'resolved'])
  const claim = { gate_id: gate.id, run_id: aim.id, workspace_id: 'ws_00000000000000000000000000' }
  const addressed = { ...claim, kind, channel: 'mail', recipient }
  const way = dice.pick(WAYS)
  const claims = {
    addressed: [[activityCommand(NOTIFY, LEDGER, [addressed])]],
    planned: [
      [activityCommand(PLAN, LEDGER, [claim])],
      [activityCommand(NOTIFY, LEDGER, [{ ...claim, notice_id: 1 + dice.int(60), recipient }])],
    ],
    'any notice': [[activityCommand(NOTIFY, LEDGER, [{ ...claim, notice_id: 1 + dice.int(60) }])]],
  }[way]
  // in the place of the gate's own workflow, which nobody can tell from it
  const posing = dice.chance(0.4) ? { id: gateNoticesWorkflowId(gate.id), type: GATE_NOTICES_WORKFLOW } : {}
  return await attempt(`${kind}, ${way}${'id' in posing ? ', in its place' : ''}`, async () => {
    const answer = await world.foreign.run(claims, posing)
    const mail = await mailTo(recipient)
    if (mail === undefined) throw new Error(`no mail came: ${answer?.join(' ')}`)
    const { url, code } = linkIn(mail)
    if (url === '') return 'a mail without a link'
    const json = { accept: 'application/json' }
    const { nonce = '' } = (await (await fetch(url, { headers: json })).json()) as { nonce?: string }
    const decided = await fetch(`${url}&decision=approve`, {
      headers: { ...json, 'x-svc-confirm': nonce, 'x-svc-code': code },
    })
    return `the link answered ${decided.status}`
  })

  async function mailTo(address: string) {
    for (const deadline = Date.now() + MAIL_WITHIN_MS; Date.now() < deadline; await pause(50)) {
      const found = world.mail.received.find(({ to }) => to.includes(address))
      if (found !== undefined) return found
    }
    return undefined
  }
}
