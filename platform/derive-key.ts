import { hkdfSync } from 'node:crypto'

/** A 256-bit key for one purpose from the master key (HKDF-SHA-256, RFC 5869): what one key signs, no other verifies. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `svc:${purpose}`, 32))
}
