import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { FileFault } from './file-fault.ts'
import { packDigest } from './pack-digest.ts'

const MAX_FILES = 2_000
const MAX_TOTAL_BYTES = 16 * 1024 * 1024

export interface PackFiles {
  /** bytes by path inside the pack, in the order of their names, with `/` between folders */
  files: Map<string, Uint8Array>
  digest: string
}

/** Reads a pack's directory without its hidden files. A link that leads out of the pack is a fault, and nothing is read through it. */
export function readPackFiles(directory: string, shown: string): PackFiles | FileFault[] {
  const root = realpathSync(directory)
  const files = new Map<string, Uint8Array>()
  const faults: FileFault[] = []
  let total = 0
  for (const path of packPaths(directory)) {
    const fault = (message: string) => faults.push({ file: `${shown}/${path}`, message })
    try {
      const real = realpathSync(join(directory, path))
      const { size } = statSync(real)
      total += size
      if (!real.startsWith(root + sep)) fault('this link leads out of the pack; copy the file into it')
      else if (files.size >= MAX_FILES) return [{ file: shown, message: `more than ${MAX_FILES} files` }]
      else if (total > MAX_TOTAL_BYTES) return [{ file: shown, message: 'more than 16 MB of files' }]
      else files.set(path, readFileSync(real))
    } catch (error) {
      fault(`cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}`)
    }
  }
  return faults.length > 0 ? faults : { files, digest: packDigest(files) }
}

/** Changes whenever a file of the directory does. */
export function packStamp(directory: string): string {
  const hash = createHash('sha256')
  for (const path of packPaths(directory)) {
    const stat = statSync(join(directory, path), { bigint: true, throwIfNoEntry: false })
    hash.update(`${path}\0${stat?.ino}:${stat?.size}:${stat?.mtimeNs}:${stat?.ctimeNs}\n`)
  }
  return hash.digest('hex')
}

/** Files and links in code point order; linked folders are not entered but listed, so that reading them fails loudly. */
function packPaths(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)\./.test(path))
    .filter((path) => lstatSync(join(directory, path), { throwIfNoEntry: false }) !== undefined)
    .sort()
}
