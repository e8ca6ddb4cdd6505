import { createHash } from 'node:crypto'

/** The SHA-256 digest of a text (as UTF-8) or of bytes, in hex digits (FIPS 180-4). */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Names content by its digest: `sha256:` and 64 hex digits. */
export function digestOf(content: string | Uint8Array): string {
  return `sha256:${sha256(content)}`
}
