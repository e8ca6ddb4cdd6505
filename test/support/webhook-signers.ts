import { createHmac, type KeyObject, sign } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** What a sender knows when it signs. */
export interface Sending {
  body: Buffer
  secret: string
  at_s: number
  id: string
}

const hex = (secret: string, ...parts: (string | Buffer)[]) => {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest('hex')
}

/** Signs as the senders document it; none of it is shared with what verifies. Bodies are text, the official library takes no bytes. */
export const signers = {
  standard: ({ body, secret, at_s, id }: Sending) => ({
    'webhook-id': id,
    'webhook-timestamp': String(at_s),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at_s * 1_000), body),
  }),
  svix: ({ body, secret, at_s, id }: Sending) => ({
    'svix-id': id,
    'svix-timestamp': String(at_s),
    'svix-signature': new Webhook(secret).sign(id, new Date(at_s * 1_000), body),
  }),
  github: ({ body, secret, id }: Sending) => ({
    'X-GitHub-Delivery': id,
    'X-Hub-Signature-256': `sha256=${hex(secret, body)}`,
  }),
  stripe: ({ body, secret, at_s }: Sending) => ({
    'Stripe-Signature': `t=${at_s},v1=${hex(secret, `${at_s}.`, body)},v0=${'0'.repeat(64)}`,
  }),
  slack: ({ body, secret, at_s }: Sending) => ({
    'X-Slack-Request-Timestamp': String(at_s),
    'X-Slack-Signature': `v0=${hex(secret, `v0:${at_s}:`, body)}`,
  }),
  pagerduty: ({ body, secret }: Sending) => ({
    'X-PagerDuty-Signature': `v1=${'a'.repeat(64)},v1=${hex(secret, body)}`,
  }),
  grafana: ({ body, secret }: Sending) => ({ 'X-Grafana-Alerting-Signature': hex(secret, body) }),
  grafanaTimed: ({ body, secret, at_s }: Sending) => ({
    'X-Grafana-Time': String(at_s),
    'X-Grafana-Alerting-Signature': hex(secret, `${at_s}:`, body),
  }),
  hmac: ({ body, secret, at_s, id }: Sending) => ({
    'X-Id': id,
    'X-Time': String(at_s),
    'X-Sign': `sig ${createHmac('sha512', secret).update(`${id}~${at_s}~`).update(body).digest('base64url')}`,
  }),
  hmacPlain: ({ body, secret }: Sending) => ({ 'X-Sign': createHmac('sha1', secret).update(body).digest('base64') }),
  bearer: ({ secret }: Sending) => ({ Authorization: `Bearer ${secret}` }),
}

/** A message as Amazon SNS posts it, with the address of its certificate. */
export function snsMessage(
  { key, version, url }: { key: KeyObject; version: '1' | '2'; url: string },
  fields: Record<string, string>,
): string {
  const names =
    fields['Type'] === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names
    .filter((name) => name in fields)
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('')
  const Signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(text), key).toString('base64')
  return JSON.stringify({ ...fields, SignatureVersion: version, Signature, SigningCertURL: url })
}
