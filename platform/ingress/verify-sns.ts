import { verify } from 'node:crypto'
import { HOUR_MS } from '#core/time/time.ts'
import { memberOfBody, type Proof, type SignedDelivery, singleHeader } from './signed-delivery.ts'
import type { SnsCertificates } from './sns-certificates.ts'

const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'] as const
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const
const HASH = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
])
const FUTURE_MS = 300_000
/** SNS repeats a message with its first timestamp, for up to six hours with its default retry policy */
const PAST_MS = 6 * HOUR_MS
const ONE_LINE = /^[^\r\n]*$/

/**
 * A message of Amazon SNS from one of the topics: only its signed members are believed. A request to confirm a subscription is
 * sound too, and is never followed. Throws `dependency_unavailable` when the certificate cannot be fetched.
 */
export async function verifySns(
  topics: readonly string[],
  delivery: SignedDelivery,
  certificates: SnsCertificates,
  now_ms: number,
): Promise<Proof | undefined> {
  const message = textsOf(delivery.body)
  const type = message['Type']
  if (type === undefined || singleHeader(delivery, 'x-amz-sns-message-type') !== type) return undefined
  const names = type === 'Notification' ? NOTIFICATION : CONFIRMATION
  if (names === CONFIRMATION && type !== 'SubscriptionConfirmation' && type !== 'UnsubscribeConfirmation')
    return undefined
  const signed = Object.fromEntries(
    names.flatMap((name) => {
      const value = message[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  if (!isWellFormed(names, signed, topics, now_ms)) return undefined
  const hash = HASH.get(message['SignatureVersion'] ?? '')
  const signature = message['Signature']
  const certificate = await certificates.find(message['SigningCertURL'] ?? '')
  if (hash === undefined || signature === undefined || certificate === undefined) return undefined
  const content = Object.entries(signed)
    .map(([name, value]) => `${name}\n${value}\n`)
    .join('')
  if (!verify(hash, Buffer.from(content), certificate.publicKey, Buffer.from(signature, 'base64'))) return undefined
  const id = signed['MessageId'] ?? ''
  const confirm_url = signed['SubscribeURL']
  return { key: `id:${id}`, provider_delivery_id: id, signed, ...(confirm_url !== undefined && { confirm_url }) }
}

/** The signed text has no quoting: only exact forms keep one member from being read as another. */
function isWellFormed(
  names: readonly string[],
  signed: Record<string, string>,
  topics: readonly string[],
  now_ms: number,
): boolean {
  const isComplete = names.every((name) => name === 'Subject' || signed[name] !== undefined)
  const isFlat = names.every((name) => name === 'Message' || ONE_LINE.test(signed[name] ?? ''))
  const sent = signed['Timestamp'] ?? ''
  const age = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(sent) ? now_ms - Date.parse(sent) : Number.NaN
  return (
    isComplete &&
    isFlat &&
    age >= -FUTURE_MS &&
    age <= PAST_MS &&
    topics.includes(signed['TopicArn'] ?? '') &&
    /^[0-9a-f-]{36}$/i.test(signed['MessageId'] ?? '')
  )
}

function textsOf(body: Uint8Array): Record<string, string> {
  const value = memberOfBody(body, [])
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(
    Object.entries(value).filter((each): each is [string, string] => typeof each[1] === 'string'),
  )
}
