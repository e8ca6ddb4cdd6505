import { hkdfSync } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors, type ProtectedHeaderParameters } from 'jose'
import { DomainError } from '#core/errors.ts'
import { sha256 } from './sha256.ts'

/** A 256-bit key for one purpose from the master key (HKDF-SHA-256, RFC 5869): what one key signs, no other verifies. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `svc:${purpose}`, 32))
}

/** A key that seals, and its name in headers. */
export interface SealingKey {
  key: Buffer
  kid: string
}

export function sealingKey(masterKey: string, purpose: string): SealingKey {
  const key = deriveKey(masterKey, purpose)
  return { key, kid: sha256(key).slice(0, 8) }
}

/** Members of the header that say what a text is sealed for. */
type Bound = Record<string, string | number>

/** Makes one compact JWE (RFC 7516: `dir`, A256GCM) that names its key and what it is sealed for. */
export async function sealJwe({ key, kid }: SealingKey, bound: Bound, text: string): Promise<string> {
  return await new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, ...bound })
    .encrypt(key)
}

/** Throws `not_configured` when none of the keys sealed it, `internal` when it was not sealed for this. */
export async function openJwe(
  keys: readonly SealingKey[],
  bound: Bound,
  sealed: string,
  messages: { unknownKey(kid: string): string; damaged: string },
): Promise<string> {
  const header = headerOf(sealed)
  const found = keys.find(({ kid }) => kid === header.kid)
  if (found === undefined) throw new DomainError('not_configured', messages.unknownKey(header.kid ?? 'unknown'))
  const damaged = () => new DomainError('internal', messages.damaged)
  if (Object.entries(bound).some(([name, value]) => header[name] !== value)) throw damaged()
  try {
    const { plaintext } = await compactDecrypt(sealed, found.key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return new TextDecoder().decode(plaintext)
  } catch (error) {
    throw error instanceof errors.JOSEError ? damaged() : error
  }
}

function headerOf(sealed: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(sealed)
  } catch {
    return {}
  }
}
