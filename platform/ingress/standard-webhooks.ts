import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { DomainError } from '#core/errors.ts'
import { isSigned } from './hmac-text.ts'
import { isDeliveryId, isRecent, type Proof, proofOf, type SignedDelivery, singleHeader } from './signed-delivery.ts'

const PUBLIC_KEY = 'whpk_'
const SECRET = 'whsec_'
const ED25519_BYTES = 32
const MAX_SIGNATURES = 20
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Verifies Standard Webhooks over `id.timestamp.body`: `v1` (HMAC-SHA256, secrets `whsec_…`) and `v1a` (Ed25519, public keys `whpk_…`). The
 * raw bytes are verified, so the library of that name, which takes text and the system's clock, is not used here.
 */
export function verifyStandardWebhook(
  prefix: 'webhook' | 'svix',
  secrets: readonly string[],
  delivery: SignedDelivery,
  now_ms: number,
): Proof | undefined {
  const keys = secrets.map(keyOf)
  const id = singleHeader(delivery, `${prefix}-id`)
  const timestamp = singleHeader(delivery, `${prefix}-timestamp`)
  const signatures = singleHeader(delivery, `${prefix}-signature`)?.split(' ')
  if (!isDeliveryId(id) || timestamp === undefined || signatures === undefined) return undefined
  if (signatures.length > MAX_SIGNATURES || !isRecent(timestamp, now_ms)) return undefined
  const content = [`${id}.${timestamp}.`, delivery.body]
  const symmetric = keys.filter((key): key is Uint8Array => key instanceof Uint8Array)
  const asymmetric = keys.filter((key): key is KeyObject => !(key instanceof Uint8Array))
  const isSound =
    isSigned(ofVersion(signatures, 'v1,'), content, symmetric, { algorithm: 'sha256', encoding: 'base64' }) ||
    isSignedByKey(ofVersion(signatures, 'v1a,'), content, asymmetric)
  return isSound ? proofOf(id, []) : undefined
}

function ofVersion(signatures: string[], version: string): string[] {
  return signatures.filter((each) => each.startsWith(version)).map((each) => each.slice(version.length))
}

function isSignedByKey(given: string[], content: (string | Uint8Array)[], keys: KeyObject[]): boolean {
  const signed = Buffer.concat(content.map((part) => Buffer.from(part)))
  return given.some(
    (text) => BASE64.test(text) && keys.some((key) => verify(null, signed, key, Buffer.from(text, 'base64'))),
  )
}

function keyOf(secret: string): Uint8Array | KeyObject {
  const isPublic = secret.startsWith(PUBLIC_KEY)
  const text = isPublic || secret.startsWith(SECRET) ? secret.slice(secret.indexOf('_') + 1) : secret
  const bytes = Buffer.from(text, 'base64')
  if (!BASE64.test(text) || bytes.length === 0 || (isPublic && bytes.length !== ED25519_BYTES)) {
    throw new DomainError('not_configured', 'a secret of this ingress is neither whsec_ nor whpk_ and base64')
  }
  if (!isPublic) return bytes
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
}
