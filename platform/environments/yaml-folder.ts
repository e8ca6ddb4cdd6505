import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import { isRemoved, readStill, type StillOptions } from '#platform/still-file.ts'
import { rememberNames } from './held-names.ts'

export type ParsedFile<Value> = { value: Value; faults?: undefined } | { value?: undefined; faults: FileFault[] }

interface Entry<Value> {
  stamp: string
  /** from the last good version of the file */
  value?: Value
  faults: FileFault[]
}

export interface YamlFolder<Value> {
  /** reads the folder now; true when something changed */
  reload(options: StillOptions): boolean
  /** true if the last read found files that are being written; they keep their last value */
  moving(): boolean
  /** the last good value of every file, in the order of their names */
  values(): Value[]
  faults(): FileFault[]
  /** names of the files, without extension, of which no version could ever be read */
  unread(): Set<string>
}

/** Of a file that is not there, while it is not known that it was taken away on purpose. */
const MISSING = 'gone'

/**
 * Keeps the YAML files of a folder in memory: a file that breaks keeps its last good value and is reported. With a `marker` so does one
 * that is missing together with its folder, or while another cannot be read, since it may have been renamed to that. The marker is the file
 * that remembers their names over a restart; those without a value count as unread.
 */
export function createYamlFolder<Value>(
  home: string,
  folder: string,
  parse: (file: string, bytes: Uint8Array) => ParsedFile<Value>,
  options: { marker?: string } = {},
): YamlFolder<Value> {
  const held = options.marker === undefined ? undefined : rememberNames(options.marker)
  let entries = new Map<string, Entry<Value>>(
    (held?.names() ?? []).map((name) => [name, { stamp: 'remembered', faults: [] }]),
  )
  let unlisted: string | undefined
  let moving = false

  function refreshed(name: string, before: Entry<Value> | undefined, options: StillOptions): Entry<Value> | undefined {
    const file = `${folder}/${name}`
    const unsettled = () => {
      moving = true
      return options.as_it_is ? kept(before, 'moving', [{ file, message: 'is being written' }]) : before
    }
    try {
      const found = readStill(join(home, folder, name), before?.stamp, options)
      if (found === 'same') return before
      if (found === 'missing' && isLink(name)) return held && asMissing(name, before ?? { stamp: '', faults: [] })
      // that a file was removed is told by a list that lacks it: this one may be of a folder that was replaced since
      if (found === 'moving' || found === 'missing') return unsettled()
      const { stamp, bytes } = found
      const parsed = parse(file, bytes)
      if (parsed.faults === undefined) return { stamp, value: parsed.value, faults: [] }
      return kept(before, stamp, parsed.faults)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
      if (code === 'ENOENT' || code === 'ENOTDIR') return unsettled()
      const message = `cannot be read: ${code}`
      return before?.stamp === message ? before : kept(before, message, [{ file, message }])
    }
  }

  function asMissing(name: string, before: Entry<Value>): Entry<Value> {
    if (before.stamp === MISSING) return before
    const message =
      before.value === undefined
        ? 'is missing, and its content is unknown; nothing runs under it'
        : 'is missing for an unknown reason; its last content stays in force'
    return kept(before, MISSING, [{ file: `${folder}/${name}`, message }])
  }

  /** A link to nowhere is there, unlike a file that was taken away since the folder was listed. */
  function isLink(name: string): boolean {
    return lstatSync(join(home, folder, name), { throwIfNoEntry: false })?.isSymbolicLink() === true
  }

  /** Keeps missing files that must stay in force. */
  function keepMissing(next: Map<string, Entry<Value>>): void {
    const read = new Set([...next].filter(([, { faults }]) => faults.length === 0).map(([name]) => stem(name)))
    for (const [name, before] of entries) {
      if (!next.has(name) && !read.has(stem(name))) next.set(name, asMissing(name, before))
    }
  }

  return {
    reload(options) {
      moving = false
      const next = new Map<string, Entry<Value>>()
      const listed = listNames(join(home, folder))
      for (const name of listed.names) {
        const before = entries.get(name)
        const found = refreshed(name, before, options)
        // a new file that is still being written has no value yet, but is not missing
        if (found !== undefined) next.set(name, found)
      }
      for (const [name, entry] of entries) {
        if (next.has(name) || isRemoved(join(home, folder, name), options)) continue
        moving = true
        next.set(name, entry)
      }
      const wasUnlisted = unlisted
      unlisted = held === undefined || (listed.code === 'ENOENT' && entries.size === 0) ? undefined : listed.code
      const isDoubted = unlisted !== undefined || [...next.values()].some(({ faults }) => faults.length > 0)
      if (held !== undefined && isDoubted) keepMissing(next)
      if (unlisted === undefined) held?.remember([...next.keys()].sort())
      const isSame =
        unlisted === wasUnlisted &&
        next.size === entries.size &&
        [...next].every(([name, entry]) => entry === entries.get(name))
      if (!isSame) entries = next
      return !isSame
    },
    moving: () => moving,
    values: () => [...entries.values()].flatMap((entry) => (entry.value === undefined ? [] : [entry.value])),
    faults: () => [...folderFaults(folder, unlisted), ...[...entries.values()].flatMap((entry) => entry.faults)],
    unread: () => new Set([...entries].filter(([, { value }]) => value === undefined).map(([name]) => stem(name))),
  }
}

function kept<Value>(before: Entry<Value> | undefined, stamp: string, faults: FileFault[]): Entry<Value> {
  return { stamp, faults, ...(before?.value !== undefined && { value: before.value }) }
}

function folderFaults(folder: string, code: string | undefined): FileFault[] {
  if (code === undefined) return []
  const message = code === 'ENOENT' ? 'is not there. To have none of it, leave it empty' : `cannot be read: ${code}`
  return [{ file: folder, message }]
}

function stem(name: string): string {
  return name.replace(/\.ya?ml$/i, '')
}

function listNames(directory: string): { names: string[]; code?: string } {
  try {
    const names = readdirSync(directory).filter((name) => /^[^.].*\.ya?ml$/i.test(name))
    return { names: names.sort() }
  } catch (error) {
    return { names: [], code: error instanceof Error && 'code' in error ? String(error.code) : 'unknown error' }
  }
}
