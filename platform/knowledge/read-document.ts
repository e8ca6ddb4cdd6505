import { realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isText, MAX_DOCUMENT_BYTES } from '#core/knowledge/chunk-text.ts'
import { readRegularFile } from '#platform/pipelines/read-regular-file.ts'
import { digestOf } from '../sha256.ts'

export interface ReadDocument {
  text: string
  digest: string
  size_bytes: number
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a document below a directory without links, or returns why it cannot. Nothing outside of the directory or hidden in it is read,
 * whatever links point to.
 */
export function readDocument(directory: string, path: string): ReadDocument | string {
  try {
    const real = realpathSync(join(directory, path))
    if (!isInside(real, directory)) return 'is a link that leads out of the folder; copy the file into it'
    if (isHidden(real, directory)) return 'is a link to what is hidden; copy the file'
    if (!statSync(real).isFile()) return 'is not a regular file'
    const bytes = readRegularFile(real, MAX_DOCUMENT_BYTES)
    if (bytes === 'too_large') return `is larger than ${MAX_DOCUMENT_BYTES} bytes; split it`
    if (typeof bytes === 'string') return bytes
    const text = decoded(bytes)
    if (text === undefined || !isText(text)) return 'is not UTF-8 text'
    return { text, digest: digestOf(text), size_bytes: bytes.length }
  } catch (error) {
    return `cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}`
  }
}

export function isInside(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
}

/** Tells whether a part of the path below a directory is hidden. */
export function isHidden(real: string, root: string): boolean {
  return relative(root, real)
    .split(sep)
    .some((name) => name.startsWith('.'))
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
