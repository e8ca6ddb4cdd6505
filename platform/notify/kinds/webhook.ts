import { CloudEvent, HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { DomainError } from '#core/errors.ts'
import { isAboutRun, type Notice, type SendResult } from '#core/notify/types.ts'
import { type ChannelPorts, defineChannelKind, type Message } from '../channel-kind.ts'
import { ChannelName, HttpUrl, MaxPerMinute, RotatingSecret, recipientName } from '../channel-settings.ts'
import { postNotice } from '../post-notice.ts'

const Settings = z.strictObject({
  name: ChannelName,
  kind: z.literal('webhook'),
  url: HttpUrl,
  secret: RotatingSecret,
  max_per_minute: MaxPerMinute.exactOptional(),
})
export type WebhookSettings = z.output<typeof Settings>

export const webhook = defineChannelKind({
  kind: 'webhook',
  settings: Settings,
  max_per_minute: 0,
  secrets: ({ secret }) => [secret].flat(),
  checkSecret: (reference, value) => void webhookSigner(reference, value),
  // two receivers may share one host
  addresses: ({ url }) => [recipientName(new URL(url).host, new URL(url).href)],
  host: ({ url }) => new URL(url).hostname,
  send,
})

/** Posts a notice as a signed CloudEvent (structured mode). */
async function send(ports: ChannelPorts, channel: WebhookSettings, { notice }: Message): Promise<SendResult> {
  const [reference = ''] = [channel.secret].flat()
  const event = signedEvent(webhookSigner(reference, ports.secret(reference)), notice, ports.now())
  return await postNotice(ports, { url: channel.url, ...event })
}

/** The id is that of the event, so that a receiver recognises a repetition; the timestamp is that of the attempt. */
function signedEvent(signer: Webhook, notice: Notice, now_ms: number) {
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
export function noticeEvent(notice: Notice): CloudEvent<object> {
  const { id, kind, time, workspace_id, ...data } = notice
  return new CloudEvent({
    id,
    type: kind,
    source: `/workspaces/${workspace_id}`,
    subject: subjectOf(notice),
    time,
    datacontenttype: 'application/json',
    workspaceid: workspace_id,
    data,
  })
}

function subjectOf(notice: Notice): string {
  if (isAboutRun(notice)) return notice.run_id
  if ('halt' in notice) return notice.halt.id
  return 'digest' in notice ? notice.digest.id : notice.connection.id
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
