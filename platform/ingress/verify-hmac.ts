import type { VerifySpec } from '#core/ingress/verify-schema.ts'
import { type HmacForm, isSameSecret, isSigned } from './hmac-text.ts'
import {
  isDeliveryId,
  isRecent,
  memberOfBody,
  type Proof,
  proofOf,
  type SignedDelivery,
  singleHeader,
} from './signed-delivery.ts'

type Of<Scheme extends VerifySpec['scheme']> = Extract<VerifySpec, { scheme: Scheme }>
type Secrets = readonly string[]

const HEX: HmacForm = { algorithm: 'sha256', encoding: 'hex' }
const MAX_SIGNATURES = 20

/** Verifies `X-Hub-Signature-256: sha256=…` over the body. The delivery id is not signed, so it does not identify repeats. */
export function verifyGithub(secrets: Secrets, delivery: SignedDelivery): Proof | undefined {
  const given = after('sha256=', singleHeader(delivery, 'x-hub-signature-256'))
  if (given === undefined || !isSigned([given], [delivery.body], secrets, HEX)) return undefined
  return proofOf(undefined, [delivery.body], singleHeader(delivery, 'x-github-delivery'))
}

/** `Stripe-Signature: t=…,v1=…` over `t.body`; several `v1` while a secret is exchanged. */
export function verifyStripe(secrets: Secrets, delivery: SignedDelivery, now_ms: number): Proof | undefined {
  const parts = singleHeader(delivery, 'stripe-signature')?.split(',') ?? []
  const times = parts.flatMap((part) => after('t=', part) ?? [])
  const given = parts.flatMap((part) => after('v1=', part) ?? [])
  const [time] = times
  if (time === undefined || times.length > 1 || given.length > MAX_SIGNATURES || !isRecent(time, now_ms))
    return undefined
  if (!isSigned(given, [`${time}.`, delivery.body], secrets, HEX)) return undefined
  return proofOf(memberOfBody(delivery.body, ['id']), [Buffer.from(`${time}.`), delivery.body])
}

/** `X-Slack-Signature: v0=…` over `v0:timestamp:body`; also the `url_verification` of an address that is new to Slack. */
export function verifySlack(secrets: Secrets, delivery: SignedDelivery, now_ms: number): Proof | undefined {
  const time = singleHeader(delivery, 'x-slack-request-timestamp')
  const given = after('v0=', singleHeader(delivery, 'x-slack-signature'))
  if (time === undefined || given === undefined || !isRecent(time, now_ms)) return undefined
  if (!isSigned([given], [`v0:${time}:`, delivery.body], secrets, HEX)) return undefined
  const challenge = memberOfBody(delivery.body, ['challenge'])
  const isAsked = memberOfBody(delivery.body, ['type']) === 'url_verification' && typeof challenge === 'string'
  return {
    ...proofOf(memberOfBody(delivery.body, ['event_id']), [Buffer.from(`${time}:`), delivery.body]),
    ...(isAsked && { challenge }),
  }
}

/** `X-PagerDuty-Signature: v1=…,v1=…` over the body. */
export function verifyPagerduty(secrets: Secrets, delivery: SignedDelivery): Proof | undefined {
  const parts = singleHeader(delivery, 'x-pagerduty-signature')?.split(',') ?? []
  const given = parts.flatMap((part) => after('v1=', part) ?? [])
  if (given.length > MAX_SIGNATURES || !isSigned(given, [delivery.body], secrets, HEX)) return undefined
  return proofOf(memberOfBody(delivery.body, ['event', 'id']), [delivery.body])
}

/** Hex over the body, or over `timestamp:body` when the contact point sends a timestamp. */
export function verifyGrafana(
  { header, timestamp_header }: Of<'grafana'>,
  secrets: Secrets,
  delivery: SignedDelivery,
  now_ms: number,
): Proof | undefined {
  const given = singleHeader(delivery, header)
  const time = timestamp_header === undefined ? undefined : singleHeader(delivery, timestamp_header)
  if (given === undefined) return undefined
  if (timestamp_header !== undefined && (time === undefined || !isRecent(time, now_ms))) return undefined
  const content = time === undefined ? [delivery.body] : [Buffer.from(`${time}:`), delivery.body]
  return isSigned([given], content, secrets, HEX) ? proofOf(undefined, content) : undefined
}

/** A scheme that the pack describes: header, algorithm, encoding, prefix, and the text that is signed. */
export function verifyOwnHmac(
  spec: Of<'hmac'>,
  secrets: Secrets,
  delivery: SignedDelivery,
  now_ms: number,
): Proof | undefined {
  const given = after(spec.prefix, singleHeader(delivery, spec.header))
  const time = spec.timestamp_header === undefined ? undefined : singleHeader(delivery, spec.timestamp_header)
  const id = spec.id_header === undefined ? undefined : singleHeader(delivery, spec.id_header)
  const signsId = spec.template.includes('{id}')
  if (given === undefined || (spec.timestamp_header !== undefined && (time === undefined || !isRecent(time, now_ms))))
    return undefined
  if (signsId && !isDeliveryId(id)) return undefined
  const content = spec.template.split(/(\{body\}|\{timestamp\}|\{id\})/).map((part) => {
    if (part === '{body}') return delivery.body
    return Buffer.from(part === '{timestamp}' ? (time ?? '') : part === '{id}' ? (id ?? '') : part)
  })
  const bare = spec.encoding === 'base64url' ? given.replace(/={1,2}$/, '') : given
  if (!isSigned([bare], content, secrets, spec)) return undefined
  return signsId ? proofOf(id, content) : proofOf(undefined, content, id)
}

/** Verifies `Authorization: Bearer …`. A holder of the token may send anything, so the id is trusted. */
export function verifyBearer(
  { id_header }: Of<'bearer'>,
  secrets: Secrets,
  delivery: SignedDelivery,
): Proof | undefined {
  const token = /^bearer +(\S+)$/i.exec(singleHeader(delivery, 'authorization') ?? '')?.[1]
  if (token === undefined) return undefined
  const hits = secrets.map((secret) => isSameSecret(token, secret))
  if (!hits.includes(true)) return undefined
  return proofOf(id_header === undefined ? undefined : singleHeader(delivery, id_header), [delivery.body])
}

function after(prefix: string, text: string | undefined): string | undefined {
  return text?.startsWith(prefix) ? text.slice(prefix.length) : undefined
}
