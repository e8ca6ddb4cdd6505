import { createPublicKey, verify } from 'node:crypto'

/** Tells whether a text has an Ed25519 signature by this public key; all but the text in base64. */
export function verifyAttestation({ key, text, signature }: { key: string; text: string; signature: string }): boolean {
  const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64'))
}
