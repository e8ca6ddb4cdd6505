import { createHmac, timingSafeEqual } from 'node:crypto'
import { deriveKey } from './derive-key.ts'

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
