import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * Reads a plain file of at most `limit` bytes at a path without links, or returns why it cannot. The opened file itself is checked: a pipe
 * is not waited for, and a link that replaced it is not followed.
 */
export function readRegularFile(real: string, limit: number): Uint8Array | 'too_large' | string {
  const file = openSync(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const before = fstatSync(file, { bigint: true })
    if (before.isDirectory()) return 'this is a link to a folder; copy the folder into the bundle'
    if (!before.isFile()) return 'this is no regular file; a bundle holds nothing else'
    if (before.size > BigInt(limit)) return 'too_large'
    const bytes = readAll(file, Number(before.size))
    const after = fstatSync(file, { bigint: true })
    const isSame = bytes !== undefined && after.mtimeNs === before.mtimeNs && after.size === before.size
    const { ino, dev } = statSync(real, { bigint: true })
    const isThere = realpathSync(real) === real && ino === before.ino && dev === before.dev
    return isSame && isThere ? bytes : 'is being written; try again in a moment'
  } finally {
    closeSync(file)
  }
}

/** Undefined where the file ends earlier. */
function readAll(file: number, size: number): Uint8Array | undefined {
  const bytes = new Uint8Array(size)
  let at = 0
  while (at < size) {
    const read = readSync(file, bytes, at, size - at, at)
    if (read === 0) return undefined
    at += read
  }
  return bytes
}
