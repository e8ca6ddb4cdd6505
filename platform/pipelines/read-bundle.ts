import { type Dirent, readdirSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import { filesDigest } from '../packs/read-pack-files.ts'
import type { BundlePlace } from './bundle-place.ts'
import { readRegularFile } from './read-regular-file.ts'

const MAX_FILES = 100
const MAX_TOTAL_BYTES = 1024 * 1024
const MAX_DEPTH = 8
const MAX_ENTRIES = 1_000

export interface BundleFiles {
  /** bytes by path inside the bundle, in the order of their names, with `/` between folders */
  files: Map<string, Uint8Array>
  digest: string
}

/** Reads a bundle's directory without its hidden files. Nothing is read that lies outside of what confines it, or is no plain file. */
export function readBundle({ directory, confines, shown }: BundlePlace): BundleFiles | FileFault[] {
  try {
    const root = realpathSync(confines)
    if (!isInside(realpathSync(directory), root))
      return [
        { file: shown, message: 'this link leads out of the directory of the pipelines; copy the bundle into it' },
      ]
    const listed = bundlePaths(directory)
    if (typeof listed === 'string') return [{ file: shown, message: listed }]
    return readFiles(listed, { directory, root, shown })
  } catch (error) {
    return [{ file: shown, message: `cannot be read: ${codeOf(error)}` }]
  }
}

function readFiles(
  paths: readonly string[],
  { directory, root, shown }: { directory: string; root: string; shown: string },
): BundleFiles | FileFault[] {
  const files = new Map<string, Uint8Array>()
  const faults: FileFault[] = []
  let left = MAX_TOTAL_BYTES
  for (const path of paths) {
    const fault = (message: string) => faults.push({ file: `${shown}/${path}`, message })
    try {
      const real = realpathSync(join(directory, path))
      if (!isInside(real, root)) {
        fault('this link leads out of the directory of the pipelines; copy the file into the bundle')
        continue
      }
      const bytes = readRegularFile(real, left)
      if (bytes === 'too_large') return [{ file: shown, message: 'more than 1 MiB of files; a bundle holds no data' }]
      if (typeof bytes === 'string') fault(bytes)
      else {
        left -= bytes.length
        files.set(path, bytes)
      }
    } catch (error) {
      fault(`cannot be read: ${codeOf(error)}`)
    }
  }
  return faults.length > 0 ? faults : { files, digest: filesDigest(files) }
}

/** All but folders, in code unit order; or why there are too many. A linked folder is listed and not entered, so that reading it fails. */
function bundlePaths(directory: string): string[] | string {
  const found: string[] = []
  const open = ['']
  let entries = 0
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(join(directory, folder), { withFileTypes: true }).filter(isVisible)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      entries += 1
      if (entries > MAX_ENTRIES) return `more than ${MAX_FILES} files; split the bundle`
      if (!entry.isDirectory()) found.push(path)
      else if (path.split('/').length >= MAX_DEPTH) return `${path} lies more than ${MAX_DEPTH} folders deep`
      else open.push(path)
    }
  }
  return found.length > MAX_FILES ? `more than ${MAX_FILES} files; split the bundle` : found.sort()
}

function isVisible({ name }: Dirent): boolean {
  return !name.startsWith('.')
}

function isInside(real: string, root: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
