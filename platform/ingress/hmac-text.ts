import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

export interface HmacForm {
  algorithm: 'sha1' | 'sha256' | 'sha512'
  encoding: 'hex' | 'base64' | 'base64url'
}

/** Tells whether one of the given texts is the MAC of the content under one of the keys, in constant time for texts of equal length. */
export function isSigned(
  given: readonly string[],
  content: readonly (string | Uint8Array)[],
  keys: readonly (string | Uint8Array)[],
  { algorithm, encoding }: HmacForm,
): boolean {
  const codes = keys.map((key) => {
    const hmac = createHmac(algorithm, key)
    for (const part of content) hmac.update(part)
    return hmac.digest(encoding)
  })
  // every pair is compared, so that the time does not tell which one matches
  const hits = given.flatMap((text) =>
    codes.map((code) => isSameText(encoding === 'hex' ? text.toLowerCase() : text, code)),
  )
  return hits.includes(true)
}

/** Compares two secrets; the time depends on neither of them, nor on their lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function isSameText(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
