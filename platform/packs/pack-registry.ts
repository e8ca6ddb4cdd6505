import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackPolicyDocument } from '#platform/policies/policy-source.ts'
import { isRemoved, type StillOptions } from '../still-file.ts'
import { type FollowOptions, followDirectories } from './follow-directories.ts'
import { loadStill } from './load-still.ts'
import type { LoadedPack, LoadedTemplate } from './loaded-pack.ts'

export type { LoadedTemplate } from './loaded-pack.ts'

/** A pack that cannot be loaded. */
interface BrokenPack {
  pack: string
  faults: FileFault[]
  /** version of the last good load, which stays in force */
  in_force?: string
}

/** The installed packs. Its lists never change: a reload makes new ones. */
export interface PackRegistry {
  list(): readonly LoadedPack[]
  errors(): readonly BrokenPack[]
  findTemplate(pack: string, template: string): LoadedTemplate | undefined
  /** in order: pack by pack, file by file */
  rules(): readonly TriggerRule[]
  policies(): readonly PackPolicyDocument[]
  /** Calls after every reload that changed something; answers how to stop. */
  onChange(listener: () => void): () => void
  /** reads the directories now */
  reload(): void
  close(): void
}

export interface PackRegistryOptions {
  /** directories whose folders are packs; the first one with a name owns it */
  dirs: string[]
  /** the one of them that need not be there */
  optional?: string
  catalog: OperatorCatalog
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

interface Entry {
  stamp: string
  /** the directory that holds its folder */
  dir: string
  /** the last good load */
  pack?: LoadedPack
  faults: FileFault[]
  policies: PackPolicyDocument[]
}

export const SHIPPED = fileURLToPath(new URL('../../packs', import.meta.url))

/** The shipped packs, then those of the deployment. */
export function packDirs(extra?: string): string[] {
  return extra === undefined ? [SHIPPED] : [SHIPPED, extra]
}

/** Loads all packs at once and follows their directories; a broken pack is listed, and its last good version stays in force. */
export function createPackRegistry({ dirs, optional, catalog, log, follow }: PackRegistryOptions): PackRegistry {
  let entries = new Map<string, Entry>()
  let view = viewOf(entries, [], [])
  const listeners = new Set<() => void>()

  function reload(as_it_is: boolean): 'moving' | 'still' {
    // once its packs are in force, a missing directory is a fault
    const isAbsent = (dir: string) =>
      dir === optional && !existsSync(dir) && ![...entries.values()].some((entry) => entry.dir === dir)
    const { folders, unlisted, taken } = packFolders(dirs.filter((dir) => !isAbsent(dir)))
    const options = { clock: follow?.clock, as_it_is }
    const next = new Map<string, Entry>()
    let state: 'moving' | 'still' = 'still'
    for (const [name, folder] of folders) {
      const before = entries.get(name)
      const found = refreshed(folder, before, options)
      if (found === 'moving') state = found
      const entry = found === 'moving' ? before : found
      if (entry !== undefined) next.set(name, entry)
    }
    for (const [name, entry] of entries) {
      if (next.has(name) || isRemoved(join(entry.dir, name), options)) continue
      state = 'moving'
      next.set(name, entry)
    }
    adopt(next, unlisted, taken)
    return state
  }

  function adopt(next: Map<string, Entry>, unlisted: FileFault[], taken: FileFault[]): void {
    // the content of a directory stays in force until it can be listed again
    for (const [name, entry] of entries)
      if (unlisted.some(({ file }) => file === entry.dir) && !next.has(name)) next.set(name, entry)
    const faults = [...unlisted.filter(({ file }) => file !== SHIPPED), ...taken]
    const isSame =
      next.size === entries.size &&
      [...next].every(([name, entry]) => entry === entries.get(name)) &&
      JSON.stringify(faults) === JSON.stringify(view.directoryFaults)
    if (isSame) return
    report(log, entries, next)
    if (JSON.stringify(faults) !== JSON.stringify(view.directoryFaults)) {
      for (const fault of faults) log.warn({ problem: faultText(fault) }, 'packs cannot be read')
    }
    entries = next
    view = viewOf(next, faults, unlisted)
    for (const listener of listeners) listener()
  }

  function refreshed(folder: string, before: Entry | undefined, options: StillOptions): Entry | 'moving' {
    const found = loadStill(folder, catalog, before?.stamp, options)
    if (found === 'moving') return found
    if (found === 'same') return before ?? 'moving'
    const { stamp, loaded } = found
    const dir = dirname(folder)
    if (loaded.pack !== undefined) return { stamp, dir, pack: loaded.pack, faults: [], policies: loaded.pack.policies }
    const { faults } = loaded
    const good = before?.pack
    return {
      stamp,
      dir,
      faults,
      ...(good === undefined ? { policies: loaded.policies } : { pack: good, policies: good.policies }),
    }
  }

  reload(true)
  const following = followDirectories(dirs, () => reload(false), follow)
  return {
    list: () => view.packs,
    errors: () => view.broken,
    findTemplate: (pack, template) => view.templates.get(`${pack}/${template}`),
    rules: () => view.rules,
    policies: () => view.policies,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    reload: () => void reload(true),
    close: following.close,
  }
}

function viewOf(entries: Map<string, Entry>, directoryFaults: FileFault[], unlisted: FileFault[]) {
  const all = [...entries]
  const packs = all.flatMap(([, entry]) => entry.pack ?? [])
  return {
    packs,
    directoryFaults,
    broken: [
      ...directoryFaults.map((fault): BrokenPack => ({ pack: basename(fault.file), faults: [fault] })),
      ...all.flatMap(([pack, { faults, pack: good }]): BrokenPack[] =>
        faults.length === 0 ? [] : [{ pack, faults, ...(good !== undefined && { in_force: good.version }) }],
      ),
    ],
    templates: new Map(packs.flatMap((pack) => pack.templates.map((each) => [`${each.pack}/${each.template}`, each]))),
    rules: packs.flatMap((pack) => pack.rules),
    policies: [...all.flatMap(([, entry]) => entry.policies), ...unlistedPolicies(all, unlisted)],
  }
}

/** If a directory could never be listed, the policies of its packs are unknown. */
function unlistedPolicies(all: [string, Entry][], unlisted: FileFault[]): PackPolicyDocument[] {
  return unlisted
    .filter(({ file }) => file !== SHIPPED && !all.some(([, { dir }]) => dir === file))
    .map(({ file, message }) => ({ pack: basename(file), source: file, text: '', problem: message }))
}

interface Folders {
  /** by the name of the pack */
  folders: Map<string, string>
  /** directories that cannot be listed */
  unlisted: FileFault[]
  /** folders whose name is taken: a deployment cannot override a pack by accident */
  taken: FileFault[]
}

function packFolders(dirs: string[]): Folders {
  const found: Folders = { folders: new Map(), unlisted: [], taken: [] }
  for (const dir of dirs) {
    const names = folderNames(dir)
    if (!Array.isArray(names)) found.unlisted.push(names)
    else
      for (const name of names) {
        const message = `there is a pack ${name} already; give this one another name`
        if (found.folders.has(name)) found.taken.push({ file: join(dir, name), message })
        else found.folders.set(name, join(dir, name))
      }
  }
  return found
}

function folderNames(dir: string): string[] | FileFault {
  if (!existsSync(dir)) return { file: dir, message: 'there is no such directory' }
  try {
    return readdirSync(dir)
      .filter(
        (name) => !name.startsWith('.') && statSync(join(dir, name), { throwIfNoEntry: false })?.isDirectory() === true,
      )
      .sort()
  } catch (error) {
    return { file: dir, message: `cannot be listed: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function report(log: PackRegistryOptions['log'], before: Map<string, Entry>, after: Map<string, Entry>): void {
  for (const [pack, entry] of after) {
    if (entry === before.get(pack)) continue
    if (entry.faults.length === 0) log.info({ pack, version: entry.pack?.version }, 'pack loaded')
    else log.warn({ pack, in_force: entry.pack?.version ?? null, problems: entry.faults.map(faultText) }, 'broken pack')
  }
  for (const pack of before.keys()) if (!after.has(pack)) log.info({ pack }, 'pack removed')
}
