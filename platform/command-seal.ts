import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Signs what the API sends to the engine, so that the record can tell it from what somebody else sent there. */
export function createCommandSeal(masterKey: string) {
  const key = deriveKey(masterKey, 'gate-commands')
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (text: string): string => digest(text).toString('base64url'),
    verify(text: string, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url')
      const expected = digest(text)
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}

/** A 256-bit key for one purpose from the master key (HKDF-SHA-256, RFC 5869): what one key signs, no other verifies. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `svc:${purpose}`, 32))
}
