import type { BigIntStats } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stampOf } from '../still-file.ts'

const MAX_DEPTH = 8

/** A file that was listed, and not read yet. */
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
  /** true when the folder exists */
  exists: boolean
  /** errors of reading entries, by path; the folder itself is the empty path */
  unlisted: Map<string, string>
}

/** All files of a folder and of those in it but hidden ones; a folder that is not there is empty. Links are followed. */
export async function listFolder(root: string): Promise<FolderListing> {
  const listing: FolderListing = { files: [], exists: true, unlisted: new Map() }
  await listBelow(root, '', 0, listing)
  return listing
}

/** A single file; undefined when there is none. */
export async function seeFile(full: string, path: string): Promise<SeenFile | string | undefined> {
  const found = await statOf(full)
  if (typeof found === 'string') return found
  return found?.isFile() ? seen(full, path, found) : undefined
}

async function listBelow(directory: string, prefix: string, depth: number, listing: FolderListing): Promise<void> {
  let names: string[]
  try {
    names = (await readdir(directory)).sort()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') listing.unlisted.set(prefix, codeOf(error))
    else if (prefix === '') listing.exists = false
    return
  }
  for (const name of names) {
    if (name.startsWith('.')) continue
    const full = join(directory, name)
    const path = prefix === '' ? name : `${prefix}/${name}`
    const found = await statOf(full)
    if (typeof found === 'string') listing.unlisted.set(path, found)
    else if (found?.isDirectory() && depth < MAX_DEPTH) await listBelow(full, path, depth + 1, listing)
    else if (found?.isFile()) listing.files.push(seen(full, path, found))
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

/** undefined: it does not exist. A text is the error. */
async function statOf(full: string): Promise<BigIntStats | string | undefined> {
  try {
    return await stat(full, { bigint: true })
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : codeOf(error)
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
