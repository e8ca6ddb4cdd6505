import { createHash, createHmac } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose'
import { DomainError } from '#core/errors.ts'
import { deriveKey } from './secret-box.ts'

/** All that a sealed secret is bound to: it opens for nothing else. */
export interface SealedFor {
  id: string
  version: number
  /** who receives the secret */
  address: string
}

/** Keeps the secrets of connections under a ring of keys: the first seals, all of them open. */
export interface ConnectionBox {
  /** one compact JWE (RFC 7516: `dir`, A256GCM), and the key that sealed it */
  seal(bound: SealedFor, secret: string): Promise<{ kid: string; sealed: string }>
  /** Throws `not_configured` when no key of the ring sealed it, `internal` when it was not sealed for this. */
  open(bound: SealedFor, sealed: string): Promise<string>
  /** tells two secrets apart, and says nothing else of them */
  fingerprint(secret: string): string
  /** the key that seals */
  kid: string
  /** tells whether a key is on the ring */
  has(kid: string): boolean
}

/** Undefined without a key. */
export function createConnectionBox(masterKeys: readonly string[]): ConnectionBox | undefined {
  const ring = masterKeys.map((masterKey) => {
    const key = deriveKey(masterKey, 'connections')
    return { masterKey, key, kid: createHash('sha256').update(key).digest('hex').slice(0, 8) }
  })
  const [first] = ring
  if (first === undefined) return undefined
  const { key, kid } = first
  const prints = deriveKey(first.masterKey, 'connection fingerprints')
  return {
    kid,
    has: (other) => ring.some((each) => each.kid === other),
    fingerprint: (secret) => createHmac('sha256', prints).update(secret).digest('hex').slice(0, 8),

    async seal({ id, version, address }, secret) {
      const sealed = await new CompactEncrypt(new TextEncoder().encode(secret))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid, sub: id, ver: version, aud: address })
        .encrypt(key)
      return { kid, sealed }
    },

    async open({ id, version, address }, sealed) {
      const header = headerOf(sealed)
      const found = ring.find((each) => each.kid === header.kid)
      if (found === undefined) {
        throw new DomainError(
          'not_configured',
          `its secret was sealed with key ${header.kid ?? 'unknown'}, which is not among SVC_SECRET_KEYS`,
        )
      }
      if (header['sub'] !== id || header['ver'] !== version || header['aud'] !== address) throw damaged()
      try {
        const { plaintext } = await compactDecrypt(sealed, found.key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
        })
        return new TextDecoder().decode(plaintext)
      } catch (error) {
        throw error instanceof errors.JOSEError ? damaged() : error
      }
    },
  }
}

function headerOf(sealed: string) {
  try {
    return decodeProtectedHeader(sealed)
  } catch {
    return {}
  }
}

function damaged(): DomainError {
  return new DomainError('internal', 'its secret is not what was sealed for it')
}
