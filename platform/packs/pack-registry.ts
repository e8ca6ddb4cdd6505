import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OperatorCatalog } from '#core/operator-catalog.ts'
import type { TriggerRule } from '#core/trigger/rule.ts'
import type { PackPolicyDocument } from '#platform/policies/policy-source.ts'
import { type FileFault, faultText } from './file-fault.ts'
import { type FollowOptions, followDirectories } from './follow-directories.ts'
import type { LoadedPack, LoadedTemplate } from './loaded-pack.ts'
import { loadPack } from './pack-loader.ts'
import { packStamp } from './read-pack-files.ts'

export type { LoadedTemplate } from './loaded-pack.ts'

/** A pack that cannot be loaded as it stands. */
interface BrokenPack {
  pack: string
  faults: FileFault[]
  /** version of the last good load, which stays in force */
  in_force?: string
}

/** The installed packs. What it answers never changes under its reader: a reload makes new lists. */
export interface PackRegistry {
  list(): readonly LoadedPack[]
  errors(): readonly BrokenPack[]
  findTemplate(pack: string, template: string): LoadedTemplate | undefined
  /** in order: pack by pack, file by file */
  rules(): readonly TriggerRule[]
  policies(): readonly PackPolicyDocument[]
  /** Calls after every reload that changed something; answers how to stop. */
  onChange(listener: () => void): () => void
  /** looks at the directories now */
  reload(): void
  close(): void
}

export interface PackRegistryOptions {
  /** directories whose folders are packs; the first to have a name owns it */
  dirs: string[]
  catalog: OperatorCatalog
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  follow?: FollowOptions
}

interface Entry {
  stamp: string
  /** the last good load */
  pack?: LoadedPack
  faults: FileFault[]
  policies: PackPolicyDocument[]
}

const SHIPPED = fileURLToPath(new URL('../../packs', import.meta.url))

/** The shipped packs, then those of the deployment. */
export function packDirs(extra?: string): string[] {
  return extra === undefined ? [SHIPPED] : [SHIPPED, extra]
}

/** Loads all packs at once and follows their directories; a broken pack is listed, and its last good version stays in force. */
export function createPackRegistry({ dirs, catalog, log, follow }: PackRegistryOptions): PackRegistry {
  let entries = new Map<string, Entry>()
  let view = viewOf(entries, [])
  const listeners = new Set<() => void>()

  function look(): void {
    const { folders, faults } = packFolders(dirs)
    const next = new Map([...folders].map(([name, folder]) => [name, refreshed(folder, entries.get(name))]))
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
    view = viewOf(next, faults)
    for (const listener of listeners) listener()
  }

  function refreshed(folder: string, before: Entry | undefined): Entry {
    const stamp = stampOf(folder)
    if (before?.stamp === stamp) return before
    const loaded = loadOrFail(folder, catalog)
    if (loaded.pack !== undefined) return { stamp, pack: loaded.pack, faults: [], policies: loaded.pack.policies }
    const { faults } = loaded
    const good = before?.pack
    return {
      stamp,
      faults,
      ...(good === undefined ? { policies: loaded.policies } : { pack: good, policies: good.policies }),
    }
  }

  look()
  const following = followDirectories(dirs, look, follow)
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
    reload: look,
    close: following.close,
  }
}

function viewOf(entries: Map<string, Entry>, directoryFaults: FileFault[]) {
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
    policies: all.flatMap(([, entry]) => entry.policies),
  }
}

/** Folders by name. A name that is taken already is a fault: a deployment cannot replace a pack by accident. */
function packFolders(dirs: string[]): { folders: Map<string, string>; faults: FileFault[] } {
  const folders = new Map<string, string>()
  const faults: FileFault[] = []
  for (const dir of dirs) {
    if (!existsSync(dir)) {
      if (dir !== SHIPPED) faults.push({ file: dir, message: 'there is no such directory' })
      continue
    }
    for (const name of folderNames(dir, faults)) {
      const folder = join(dir, name)
      if (folders.has(name))
        faults.push({ file: folder, message: `there is a pack ${name} already; give this one another name` })
      else folders.set(name, folder)
    }
  }
  return { folders, faults }
}

function folderNames(dir: string, faults: FileFault[]): string[] {
  try {
    return readdirSync(dir)
      .filter(
        (name) => !name.startsWith('.') && statSync(join(dir, name), { throwIfNoEntry: false })?.isDirectory() === true,
      )
      .sort()
  } catch (error) {
    faults.push({ file: dir, message: `cannot be listed: ${error instanceof Error ? error.message : String(error)}` })
    return []
  }
}

/** Links are resolved first, so that swapping the link of a whole pack counts as a change. */
function stampOf(folder: string): string {
  try {
    return `${realpathSync(folder)}:${packStamp(folder)}`
  } catch (error) {
    return String(error)
  }
}

function loadOrFail(folder: string, catalog: OperatorCatalog): ReturnType<typeof loadPack> {
  try {
    return loadPack(folder, catalog)
  } catch (error) {
    const name = basename(folder)
    return {
      name,
      faults: [{ file: name, message: error instanceof Error ? error.message : String(error) }],
      policies: [],
    }
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
