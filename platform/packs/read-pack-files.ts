import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import { isStill, nowOf, type StillOptions, stampOf } from '../still-file.ts'

const OWN_LINE = /^digest:[ \t]*(["']?)sha256:[0-9a-f]{64}\1[ \t]*(#.*)?\r?\n?/m

/**
 * Returns `sha256:` over all paths and bytes, in the order of the paths. The line `digest: sha256:…` of `pack.yaml` is left out, so that it
 * can contain the result.
 */
function packDigest(files: ReadonlyMap<string, Uint8Array>): string {
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
  // one character a byte, so that every byte is preserved
  const text = Buffer.from(bytes).toString('latin1')
  return OWN_LINE.test(text) ? Buffer.from(text.replace(OWN_LINE, ''), 'latin1') : bytes
}

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

/** A stamp that changes whenever a file of the directory does, and whether all of them have been still for a while. */
export function packStamp(directory: string, clock?: StillOptions['clock']): { stamp: string; still: boolean } {
  const hash = createHash('sha256')
  const now = nowOf({ clock })
  let still = true
  for (const path of packPaths(directory)) {
    const stat = statSync(join(directory, path), { bigint: true, throwIfNoEntry: false })
    hash.update(`${path}\0${stat === undefined ? '' : stampOf(stat)}\n`)
    still &&= stat === undefined || isStill(stat, now)
  }
  // after the files, so that one which was missing among them shows in the time of its folder
  still &&= packFolders(directory).every((folder) => isStill(statSync(folder, { bigint: true }), now))
  return { stamp: hash.digest('hex'), still }
}

/** Their times change with added and removed files. */
function packFolders(directory: string): string[] {
  return [directory, ...visiblePaths(directory, 'folders').map((path) => join(directory, path))]
}

/** Files and links in code point order; linked folders are not entered but listed, so that reading them fails loudly. */
function packPaths(directory: string): string[] {
  return visiblePaths(directory, 'files')
    .filter((path) => lstatSync(join(directory, path), { throwIfNoEntry: false }) !== undefined)
    .sort()
}

function visiblePaths(directory: string, kind: 'files' | 'folders'): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() === (kind === 'folders'))
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/(^|\/)\./.test(path))
}
