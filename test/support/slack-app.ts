import { createHmac } from 'node:crypto'

/** A request as Slack signs it (scheme v0). */
export function slackRequest(
  payload: object,
  options: { secret: string; at_ms?: number },
): { method: 'POST'; headers: Record<string, string>; body: string } {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const timestamp = String(Math.floor((options.at_ms ?? Date.now()) / 1_000))
  const digest = createHmac('sha256', options.secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
    },
    body,
  }
}

/** Somebody presses a button under a message about a gate. */
export function pressed(
  decision: 'approve' | 'reject',
  target: { run_id: string; gate_id: string; plan_hash: string; channel?: string },
  user = { id: 'U0ALICE', username: 'alice' },
) {
  return {
    type: 'block_actions',
    user,
    trigger_id: '1.2.3',
    channel: { id: 'C0OPS00001' },
    actions: [{ action_id: `gate.${decision}`, value: JSON.stringify({ channel: 'chat', ...target }) }],
  }
}

/** Somebody sends the dialogue that asked for a note. */
export function submitted(view: Record<string, unknown>, note: string, user = { id: 'U0ALICE', username: 'alice' }) {
  return {
    type: 'view_submission',
    user,
    view: { ...view, state: { values: { note: { note: { type: 'plain_text_input', value: note } } } } },
  }
}
