import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigItem, ConfigKind, ConfigLayer, FoundConfig } from '#core/config/types.ts'
import { fileOwner } from './file-owner.ts'
import { codeOf, listFolder, type SeenFile, seeFile } from './list-folder.ts'

/** Larger files are known by their size and time only. */
const MAX_BYTES = 16 * 1024 * 1024
/** A file that is being written is looked at when it has been still for so long. */
const STILL_MS = 25
const PATIENCE = 40

const HOME_FOLDERS: [folder: string, kind: ConfigKind][] = [
  ['environments', 'environment'],
  ['profiles', 'profile'],
  ['rules', 'rules'],
  ['schedules', 'schedules'],
  ['skills', 'skill'],
]
const HOME_FILES: [file: string, kind: ConfigKind][] = [
  ['channels.yaml', 'channels'],
  ['models.yaml', 'models'],
]
const PACK_FOLDERS: Record<string, ConfigKind> = {
  policies: 'policy',
  rules: 'rules',
  schedules: 'schedules',
  skills: 'skill',
}

/** Kinds whose text is kept, to tell what a change loosens. */
const COMPARED: ReadonlySet<ConfigKind> = new Set(['policy', 'environment', 'profile'])

export interface ProtectivePlaces {
  /** the data directory */
  home: string
  policiesDir: string
  /** directories whose folders are packs */
  packDirs: string[]
  /** the policies that are shipped */
  defaultsDir: string
}

export interface ProtectiveFiles {
  /** everything that protects, as it is once nothing of it is being written */
  look(): Promise<FoundConfig>
}

interface Origin {
  kind: ConfigKind
  layer: ConfigLayer
  pack?: string
}

/** One thing to record: a file, a folder, or a pack as a whole. */
interface Sight extends Origin {
  item: string
  /** changes whenever it does */
  stamp: string
  /** absent for what holds other items */
  file?: SeenFile
  /** of a pack */
  files?: SeenFile[]
  state?: string
}

/** The files of a deployment that protect, read again only when they have changed. */
export function createProtectiveFiles(places: ProtectivePlaces): ProtectiveFiles {
  let known = new Map<string, { stamp: string; item: ConfigItem }>()

  return {
    async look() {
      for (let tries = 1; ; tries += 1) {
        const { sights, unlisted } = await stillSights(
          places,
          new Set([...known].map(([item, { stamp }]) => key(item, stamp))),
        )
        const read = sights.map((sight) => {
          const before = known.get(sight.item)
          return before?.stamp === sight.stamp ? before : { stamp: sight.stamp, item: readItem(sight) }
        })
        // what was written while it was read is read again
        const changed = tries < PATIENCE && read.some(({ item }) => item.state === VANISHED)
        if (changed) continue
        known = new Map(read.map((each) => [each.item.item, each]))
        return { items: read.map(({ item }) => item), unlisted }
      }
    },
  }
}

const VANISHED = 'unreadable:ENOENT'

function key(item: string, stamp: string): string {
  return `${item} ${stamp}`
}

/** What stands there once two looks in a row find the same, for whatever nobody knows yet. */
async function stillSights(places: ProtectivePlaces, known: Set<string>) {
  let seen = sightsOf(places)
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    const fresh = textOf(seen.sights)
    const isKnown =
      seen.sights.length === known.size && seen.sights.every(({ item, stamp }) => known.has(key(item, stamp)))
    if (isKnown) return seen
    await sleep(STILL_MS)
    seen = sightsOf(places)
    if (textOf(seen.sights) === fresh) return seen
  }
  return seen
}

function textOf(sights: Sight[]): string {
  return sights.map(({ item, stamp }) => key(item, stamp)).join('\n')
}

function sightsOf({ home, policiesDir, packDirs, defaultsDir }: ProtectivePlaces): {
  sights: Sight[]
  unlisted: string[]
} {
  const unlisted: string[] = []
  const folder = (dir: string, prefix: string, origin: Origin): Sight[] => {
    const listing = listFolder(dir)
    for (const path of listing.unlisted.keys()) unlisted.push(`${prefix}/${path}`)
    const folders = [...listing.unlisted].map(([path, code]) =>
      folderSight(`${prefix}/${path}`, `unreadable:${code}`, origin),
    )
    const isListed = listing.exists && !listing.unlisted.has('')
    return [
      ...folders,
      ...(isListed ? [folderSight(`${prefix}/`, 'folder', origin)] : []),
      ...listing.files.map((file) => fileSight(`${prefix}/${file.path}`, file, origin)),
    ]
  }
  const files = HOME_FILES.flatMap(([name, kind]): Sight[] => {
    const found = seeFile(join(home, name), name)
    if (found === undefined) return []
    if (typeof found === 'string') return [folderSight(name, `unreadable:${found}`, { kind, layer: 'overlay' })]
    return [fileSight(name, found, { kind, layer: 'overlay' })]
  })
  const sights = [
    ...folder(defaultsDir, 'svc/policies', { kind: 'policy', layer: 'default' }),
    ...folder(policiesDir, 'policies', { kind: 'policy', layer: 'overlay' }),
    ...HOME_FOLDERS.flatMap(([name, kind]) => folder(join(home, name), name, { kind, layer: 'overlay' })),
    ...files,
    ...packSights(packDirs, unlisted),
  ]
  return { sights, unlisted }
}

function packSights(dirs: string[], unlisted: string[]): Sight[] {
  const taken = new Set<string>()
  return dirs.flatMap((dir) => {
    const names = packNames(dir)
    if (typeof names === 'string') {
      unlisted.push('packs/')
      return []
    }
    return names
      .filter((name) => !taken.has(name))
      .flatMap((name): Sight[] => {
        taken.add(name)
        const { files, unlisted: hidden } = listFolder(join(dir, name))
        for (const path of hidden.keys()) unlisted.push(`packs/${name}/${path}`)
        if (files.length === 0) return []
        const stamp = files.map((file) => key(file.path, file.stamp)).join('\n')
        return [
          { item: `packs/${name}`, kind: 'pack', layer: 'pack', pack: name, stamp, files },
          ...files.flatMap((file) => {
            const kind = PACK_FOLDERS[file.path.split('/')[0] ?? '']
            const origin = { layer: 'pack', pack: name } as const
            return kind === undefined ? [] : [fileSight(`packs/${name}/${file.path}`, file, { ...origin, kind })]
          }),
        ]
      })
  })
}

/** Folders of a directory; a text says why it cannot be listed. */
function packNames(dir: string): string[] | string {
  try {
    return readdirSync(dir)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? [] : codeOf(error)
  }
}

function fileSight(item: string, file: SeenFile, origin: Origin): Sight {
  return { item, stamp: file.stamp, file, ...origin }
}

function folderSight(item: string, state: string, origin: Origin): Sight {
  return { item, stamp: state, state, ...origin }
}

function readItem({ item, kind, layer, pack, file, files, state }: Sight): ConfigItem {
  const base = { item, kind, layer, ...(pack === undefined ? {} : { pack }) }
  if (files !== undefined) {
    const newest = files.reduce((one, other) => (other.mtime > one.mtime ? other : one))
    return { ...base, state: packState(files), about: aboutOf(newest) }
  }
  if (file === undefined) return { ...base, state: state ?? '', about: {} }
  const bytes = readBytes(file)
  if (typeof bytes === 'string') return { ...base, state: bytes, about: aboutOf(file) }
  const text = COMPARED.has(kind) && item.match(/\.ya?ml$/i) !== null ? { body: new TextDecoder().decode(bytes) } : {}
  return { ...base, state: digest(bytes), about: aboutOf(file), ...text }
}

/** What the runs of a pack call its digest. */
function packState(files: SeenFile[]): string {
  const hash = createHash('sha256')
  const inOrder = [...files].sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const file of inOrder) {
    const bytes = readBytes(file)
    if (typeof bytes === 'string') return bytes
    hash.update(`${file.path}\0${bytes.length}\0`).update(bytes)
  }
  return `sha256:${hash.digest('hex')}`
}

function readBytes({ full, size, mtime }: SeenFile): Uint8Array | string {
  if (size > MAX_BYTES) return `unreadable:too large (${size} bytes, ${mtime})`
  try {
    return readFileSync(full)
  } catch (error) {
    return `unreadable:${codeOf(error)}`
  }
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function aboutOf({ uid, mtime }: SeenFile): ConfigItem['about'] {
  return { owner: fileOwner(uid), mtime }
}
