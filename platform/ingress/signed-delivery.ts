import { createHash } from 'node:crypto'
import { parseForeignJson } from '#core/json/parse-json.ts'

/** A request as it arrived, byte for byte. */
export interface SignedDelivery {
  headers: Headers
  body: Uint8Array
}

/** The facts that a valid signature proves. */
export interface Proof {
  /** identity of a delivery; only of signed content */
  key: string
  /** the sender's own name for the delivery */
  provider_delivery_id?: string
  /** the part of the body that is signed, where that is not all of it */
  signed?: { [member: string]: string }
  /** an address that a person must open before anything is delivered */
  confirm_url?: string
  /** a text that the sender wants echoed to confirm this address; the request has no other purpose */
  challenge?: string
}

const TOLERANCE_MS = 300_000
const MAX_ID_CHARS = 200

/** Returns a header that occurs once; undefined when it is missing, empty or repeated. */
export function singleHeader({ headers }: SignedDelivery, name: string): string | undefined {
  const value = headers.get(name)?.trim()
  // a repeated header arrives as its values joined by a comma and a space, which none of these values may contain
  return value === undefined || value === '' || value.includes(', ') ? undefined : value
}

/** Tells whether a time in Unix seconds is at most 300 s from now, before or after. */
export function isRecent(seconds: string, now_ms: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now_ms - Number(seconds) * 1_000) <= TOLERANCE_MS
}

export function isDeliveryId(id: unknown): id is string {
  return typeof id === 'string' && id.length <= MAX_ID_CHARS && /^[\x21-\x7e]+$/.test(id)
}

/** Proof by an id that is signed; else by the digest of all that is signed. */
export function proofOf(signedId: unknown, signedContent: Uint8Array[], unsignedId?: string): Proof {
  if (isDeliveryId(signedId)) return { key: `id:${signedId}`, provider_delivery_id: signedId }
  const hash = createHash('sha256')
  for (const part of signedContent) hash.update(part)
  const key = `sha256:${hash.digest('hex')}`
  return isDeliveryId(unsignedId) ? { key, provider_delivery_id: unsignedId } : { key }
}

/** A member of a JSON body, such as `event.id`; undefined when there is none. */
export function memberOfBody(body: Uint8Array, path: readonly string[]): unknown {
  try {
    let value: unknown = parseForeignJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
    for (const name of path) {
      if (typeof value !== 'object' || value === null) return undefined
      value = Object.getOwnPropertyDescriptor(value, name)?.value
    }
    return value
  } catch {
    return undefined
  }
}
