import { generateKeyPairSync } from 'node:crypto'

/** A pair of keys of a worker: what it signs with, in PEM, and what the environment binds. */
export function workerKey(): { pem: string; attest: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    attest: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  }
}
