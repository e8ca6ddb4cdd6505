import { CloudEvent, HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import type { Delivery, GateNotice } from '#core/notify/types.ts'
import { OperatorError } from '#core/operator.ts'
import { type ChannelPorts, defineChannelKind, type Message } from '../channel-kind.ts'
import { ChannelName, DEPLOYMENT_NETWORK, HttpUrl, RotatingSecret, recipientName } from '../channel-settings.ts'

const MAX_ANSWER_BYTES = 64 * 1024

const Settings = z.strictObject({
  name: ChannelName,
  kind: z.literal('webhook'),
  url: HttpUrl,
  secret: RotatingSecret,
})
export type WebhookSettings = z.output<typeof Settings>

export const webhook = defineChannelKind({
  kind: 'webhook',
  settings: Settings,
  secrets: ({ secret }) => [secret].flat(),
  checkSecret: (reference, value) => void webhookSigner(reference, value),
  // two receivers may share one host
  addresses: ({ url }) => [recipientName(new URL(url).host, new URL(url).href)],
  host: ({ url }) => new URL(url).hostname,
  send,
})

/** Posts a notice as a signed CloudEvent (structured mode). A redirect is an answer, not an instruction. */
async function send(ports: ChannelPorts, channel: WebhookSettings, { notice }: Message): Promise<Delivery> {
  const [reference = ''] = [channel.secret].flat()
  const { headers, body } = signedEvent(webhookSigner(reference, ports.secret(reference)), notice, ports.now())
  const host = new URL(channel.url).host
  try {
    const answer = await ports.egress.request({
      method: 'POST',
      url: channel.url,
      headers,
      body: Buffer.from(body),
      egress: DEPLOYMENT_NETWORK,
      max_redirects: 0,
      max_bytes: MAX_ANSWER_BYTES,
      signal: AbortSignal.timeout(ports.timeout_ms),
    })
    return judge(host, answer.status, answer.retry_after_ms)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const status = error.code === 'response_too_large' ? error.details?.status : undefined
    if (typeof status === 'number') return judge(host, status, undefined)
    return { ok: false, retryable: error.retryable, detail: `${host} cannot be reached (${error.code})` }
  }
}

function judge(host: string, status: number, retry_after_ms: number | undefined): Delivery {
  if (status >= 200 && status < 300) return { ok: true }
  const isRedirect = status >= 300 && status < 400
  return {
    ok: false,
    retryable: status >= 500 || status === 408 || status === 429,
    detail: `${host} answered ${status}${isRedirect ? '; redirects are not followed' : ''}`,
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  }
}

/** The id is that of the event, so that a receiver recognises a repetition; the timestamp is that of the attempt. */
function signedEvent(signer: Webhook, notice: GateNotice, now_ms: number) {
  const { headers, body } = HTTP.structured(noticeEvent(notice))
  const text = String(body)
  const attempt = new Date(now_ms)
  return {
    body: text,
    headers: {
      'content-type': String(headers['content-type']),
      'webhook-id': notice.id,
      'webhook-timestamp': String(Math.floor(now_ms / 1_000)),
      'webhook-signature': signer.sign(notice.id, attempt, text),
    },
  }
}

/** Returns the event of a webhook for a notice. */
export function noticeEvent(notice: GateNotice): CloudEvent<object> {
  const { id, kind, time, workspace_id, ...data } = notice
  return new CloudEvent({
    id,
    type: kind,
    source: `/workspaces/${workspace_id}`,
    subject: notice.run_id,
    time,
    datacontenttype: 'application/json',
    workspaceid: workspace_id,
    data,
  })
}

/** Signs with a Standard Webhooks secret: base64, usually behind `whsec_`. Throws `not_configured` that names the reference. */
function webhookSigner(reference: string, secret: string): Webhook {
  try {
    return new Webhook(secret)
  } catch (cause) {
    throw new DomainError(
      'not_configured',
      `the secret ${reference} is not a Standard Webhooks secret: whsec_ and base64`,
      { reference },
      { cause },
    )
  }
}
