import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'

/** A file by its displayed name, with its content. */
export interface Document {
  file: string
  bytes: Uint8Array
}

const IS_YAML = /^[^.].*\.ya?ml$/i
/** Not read, so that a huge file costs nothing; it is refused for its size. */
const MAX_BYTES = 256 * 1024 + 1

/** Reads the YAML files of a folder, in the order of their names; an unreadable one is a fault. */
export function readDocuments(directory: string, shown: string, faults: FileFault[]): Document[] {
  return namesIn(directory)
    .filter((name) => IS_YAML.test(name))
    .flatMap((name) => readDocument(join(directory, name), `${shown}/${name}`, faults) ?? [])
}

/** Reads one file; undefined when it does not exist. */
export function readDocument(path: string, file: string, faults: FileFault[]): Document | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat === undefined || !stat.isFile()) return undefined
    return { file, bytes: stat.size >= MAX_BYTES ? new Uint8Array(MAX_BYTES) : readFileSync(path) }
  } catch (error) {
    faults.push({
      file,
      message: `cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}`,
    })
    return undefined
  }
}

/** Lists a folder without hidden files; empty when it does not exist. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch {
    return []
  }
}

/** The folders in a folder. */
export function foldersIn(directory: string): string[] {
  return namesIn(directory).filter(
    (name) => statSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory() === true,
  )
}
