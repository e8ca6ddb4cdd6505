import { createHash } from 'node:crypto'

const OWN_LINE = /^digest:[ \t]*(["']?)sha256:[0-9a-f]{64}\1[ \t]*(#.*)?\r?\n?/m

/**
 * `sha256:` over all paths and bytes, in the order of the paths. The line `digest: sha256:…` of `pack.yaml` is left out, so
 * that it can hold the result.
 */
export function packDigest(files: ReadonlyMap<string, Uint8Array>): string {
  const counted = [...files].map(([path, bytes]): [string, Uint8Array] => [
    path,
    path === 'pack.yaml' ? withoutOwnLine(bytes) : bytes,
  ])
  return filesDigest(new Map(counted))
}

/** `sha256:` over all paths and bytes, in the order of the paths. */
export function filesDigest(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256')
  for (const [path, bytes] of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  return `sha256:${hash.digest('hex')}`
}

function withoutOwnLine(bytes: Uint8Array): Uint8Array {
  // one character a byte, so that every byte comes back as it was
  const text = Buffer.from(bytes).toString('latin1')
  return OWN_LINE.test(text) ? Buffer.from(text.replace(OWN_LINE, ''), 'latin1') : bytes
}
