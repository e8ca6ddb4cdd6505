import { createHmac } from 'node:crypto'
import { deriveKey, openJwe, sealingKey, sealJwe } from './sealing.ts'

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
  const [masterKey] = masterKeys
  const ring = masterKeys.map((each) => sealingKey(each, 'connections'))
  const [first] = ring
  if (masterKey === undefined || first === undefined) return undefined
  const { kid } = first
  const prints = deriveKey(masterKey, 'connection fingerprints')
  const headerFor = ({ id, version, address }: SealedFor) => ({ sub: id, ver: version, aud: address })
  return {
    kid,
    has: (other) => ring.some((each) => each.kid === other),
    fingerprint: (secret) => createHmac('sha256', prints).update(secret).digest('hex').slice(0, 8),
    seal: async (bound, secret) => ({ kid, sealed: await sealJwe(first, headerFor(bound), secret) }),
    open: (bound, sealed) =>
      openJwe(ring, headerFor(bound), sealed, {
        unknownKey: (other) => `its secret was sealed with key ${other}, which is not among SVC_SECRET_KEYS`,
        damaged: 'its secret is not what was sealed for it',
      }),
  }
}
