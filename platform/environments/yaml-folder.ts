import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { FileFault } from '#platform/packs/file-fault.ts'
import { isGone, readStill, type StillOptions } from '#platform/still-file.ts'

export type ParsedFile<Value> = { value: Value; faults?: undefined } | { value?: undefined; faults: FileFault[] }

interface Entry<Value> {
  stamp: string
  /** from the last good version of the file */
  value?: Value
  faults: FileFault[]
}

export interface YamlFolder<Value> {
  /** looks at the folder now; true when something changed */
  look(options: StillOptions): boolean
  /** whether the last look found files that are being written; they are as they were known before */
  moving(): boolean
  /** the last good value of every file, in the order of their names */
  values(): Value[]
  faults(): FileFault[]
  /** names of the files, without extension, of which no version could ever be read */
  unread(): Set<string>
}

/** Keeps the YAML files of a folder in memory: a file that breaks keeps its last good value and is reported. */
export function createYamlFolder<Value>(
  home: string,
  folder: string,
  parse: (file: string, bytes: Uint8Array) => ParsedFile<Value>,
): YamlFolder<Value> {
  let entries = new Map<string, Entry<Value>>()
  let moving = false

  function refreshed(name: string, before: Entry<Value> | undefined, options: StillOptions): Entry<Value> | undefined {
    const file = `${folder}/${name}`
    try {
      const found = readStill(join(home, folder, name), before?.stamp, options)
      if (found === 'missing') return undefined
      if (found === 'same') return before
      if (found === 'moving') {
        moving = true
        return options.as_it_is ? kept(before, found, [{ file, message: 'is being written' }]) : before
      }
      const { stamp, bytes } = found
      const parsed = parse(file, bytes)
      if (parsed.faults === undefined) return { stamp, value: parsed.value, faults: [] }
      return kept(before, stamp, parsed.faults)
    } catch (error) {
      const message = `cannot be read: ${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}`
      return before?.stamp === message ? before : kept(before, message, [{ file, message }])
    }
  }

  return {
    look(options) {
      moving = false
      const next = new Map<string, Entry<Value>>()
      for (const name of fileNames(join(home, folder))) {
        const entry = refreshed(name, entries.get(name), options)
        if (entry !== undefined) next.set(name, entry)
      }
      for (const [name, entry] of entries) {
        if (next.has(name) || isGone(join(home, folder, name), options)) continue
        moving = true
        next.set(name, entry)
      }
      const isSame = next.size === entries.size && [...next].every(([name, entry]) => entry === entries.get(name))
      if (!isSame) entries = next
      return !isSame
    },
    moving: () => moving,
    values: () => [...entries.values()].flatMap((entry) => (entry.value === undefined ? [] : [entry.value])),
    faults: () => [...entries.values()].flatMap((entry) => entry.faults),
    unread: () =>
      new Set(
        [...entries].filter(([, { value }]) => value === undefined).map(([name]) => name.replace(/\.ya?ml$/i, '')),
      ),
  }
}

function kept<Value>(before: Entry<Value> | undefined, stamp: string, faults: FileFault[]): Entry<Value> {
  return { stamp, faults, ...(before?.value !== undefined && { value: before.value }) }
}

function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^[^.].*\.ya?ml$/i.test(name))
      .sort()
  } catch {
    return []
  }
}
