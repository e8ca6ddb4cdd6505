import { type BigIntStats, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stampOf } from '../still-file.ts'

const MAX_DEPTH = 8

/** A file as it was seen; nobody has looked into it yet. */
export interface SeenFile {
  /** inside the folder, with `/` between its parts */
  path: string
  full: string
  /** changes whenever the file does */
  stamp: string
  uid: number
  mtime: string
  size: number
}

export interface FolderListing {
  files: SeenFile[]
  /** whether there is such a folder */
  exists: boolean
  /** why something in it could not be looked at, by path; the folder itself is the empty path */
  unlisted: Map<string, string>
}

/** All files of a folder and of those in it but hidden ones; a folder that is not there is empty. Links are followed. */
export function listFolder(root: string): FolderListing {
  const listing: FolderListing = { files: [], exists: true, unlisted: new Map() }
  walk(root, '', 0, listing)
  return listing
}

/** A single file; undefined when there is none. */
export function seeFile(full: string, path: string): SeenFile | string | undefined {
  const stat = statOf(full)
  return typeof stat === 'object' && stat.isFile()
    ? seen(full, path, stat)
    : typeof stat === 'string'
      ? stat
      : undefined
}

function walk(directory: string, prefix: string, depth: number, listing: FolderListing): void {
  let names: string[]
  try {
    names = readdirSync(directory).sort()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') listing.unlisted.set(prefix, codeOf(error))
    else if (prefix === '') listing.exists = false
    return
  }
  for (const name of names) {
    if (name.startsWith('.')) continue
    const full = join(directory, name)
    const path = prefix === '' ? name : `${prefix}/${name}`
    const stat = statOf(full)
    if (typeof stat === 'string') listing.unlisted.set(path, stat)
    else if (stat?.isDirectory() && depth < MAX_DEPTH) walk(full, path, depth + 1, listing)
    else if (stat?.isFile()) listing.files.push(seen(full, path, stat))
  }
}

function seen(full: string, path: string, stat: BigIntStats): SeenFile {
  return {
    path,
    full,
    stamp: stampOf(stat),
    uid: Number(stat.uid),
    mtime: new Date(Number(stat.mtimeMs)).toISOString(),
    size: Number(stat.size),
  }
}

/** undefined: it is not there (any more). A text says why it cannot be looked at. */
function statOf(full: string): BigIntStats | string | undefined {
  try {
    return statSync(full, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : codeOf(error)
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
