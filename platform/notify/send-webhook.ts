import { CloudEvent, HTTP } from 'cloudevents'
import type { Webhook } from 'standardwebhooks'
import type { Delivery, GateNotice, WebhookChannel } from '#core/notify/types.ts'
import { OperatorError } from '#core/operator.ts'
import type { EgressClient } from '#platform/egress/egress-client.ts'
import { DEPLOYMENT_NETWORK } from './deployment-network.ts'
import { retryAfterMs } from './retry-after.ts'
import { webhookSigner } from './webhook-signer.ts'

const MAX_ANSWER_BYTES = 64 * 1024

export interface WebhookSenderDeps {
  egress: EgressClient
  /** throws `not_configured` */
  secret(reference: string): string
  now(): number
  timeout_ms: number
}

/** Posts a notice as a signed CloudEvent (structured mode). A redirect is an answer, not an instruction. */
export async function sendWebhook(
  deps: WebhookSenderDeps,
  channel: WebhookChannel,
  notice: GateNotice,
): Promise<Delivery> {
  const [reference = ''] = [channel.secret].flat()
  const { headers, body } = signedEvent(webhookSigner(reference, deps.secret(reference)), notice, deps.now())
  const host = new URL(channel.url).host
  try {
    const answer = await deps.egress.request({
      method: 'POST',
      url: channel.url,
      headers,
      body: Buffer.from(body),
      egress: DEPLOYMENT_NETWORK,
      max_redirects: 0,
      max_bytes: MAX_ANSWER_BYTES,
      signal: AbortSignal.timeout(deps.timeout_ms),
    })
    return judge(host, answer.status, retryAfterMs(answer.headers['retry-after'], deps.now()))
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
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  }
}

/** The id is that of the event, so that a receiver recognises a repetition; the timestamp is that of the attempt. */
function signedEvent(signer: Webhook, notice: GateNotice, now_ms: number) {
  const { headers, body } = HTTP.structured(cloudEvent(notice))
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

function cloudEvent(notice: GateNotice): CloudEvent<object> {
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
