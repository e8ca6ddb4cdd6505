import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigItem, ConfigKind, ConfigLayer, FoundConfig } from '#core/config/types.ts'
import { readPackFiles } from '../packs/read-pack-files.ts'
import { digestOf } from '../sha256.ts'
import { STILL_MS } from '../still-file.ts'
import { codeOf, listFolder, type SeenFile, seeFile } from './list-folder.ts'

const PASSWD = '/etc/passwd'

/** Returns the owner of a file, with its name on this machine. */
function fileOwner(uid: number): { uid: number; name?: string } {
  const name = ownName(uid) ?? listedName(uid)
  return name === undefined ? { uid } : { uid, name }
}

function ownName(uid: number): string | undefined {
  try {
    const own = userInfo()
    return own.uid === uid ? own.username : undefined
  } catch {
    return undefined
  }
}

function listedName(uid: number): string | undefined {
  try {
    const entries = readFileSync(PASSWD, 'utf8').split('\n')
    return entries.map((entry) => entry.split(':')).find((fields) => fields[2] === String(uid))?.[0]
  } catch {
    return undefined
  }
}

/** Larger files are known by their size and time only. */
const MAX_BYTES = 16 * 1024 * 1024
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

/** Kinds whose text is kept, to detect loosened settings. */
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
  /** everything that protects, once none of it is being written */
  read(): Promise<FoundConfig>
}

interface Origin {
  kind: ConfigKind
  layer: ConfigLayer
  pack?: string
}

/** One item of the record: a file, a folder, or a whole pack. */
interface Finding extends Origin {
  item: string
  /** changes whenever it does */
  stamp: string
  /** absent for what holds other items */
  file?: SeenFile
  /** a pack, with its files */
  folder?: { directory: string; files: SeenFile[] }
  state?: string
}

/** The files of a deployment that protect, read again only when they have changed. */
export function createProtectiveFiles(places: ProtectivePlaces): ProtectiveFiles {
  let known = new Map<string, { stamp: string; item: ConfigItem }>()

  return {
    async read() {
      for (let tries = 1; ; tries += 1) {
        const { findings, unlisted } = await stillFindings(
          places,
          new Set([...known].map(([item, { stamp }]) => key(item, stamp))),
        )
        const read: { stamp: string; item: ConfigItem }[] = []
        for (const finding of findings) {
          const before = known.get(finding.item)
          read.push(before?.stamp === finding.stamp ? before : { stamp: finding.stamp, item: await readItem(finding) })
        }
        // files that changed while they were read are read again
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

/** Waits until two reads in a row find the same, for unknown items. */
async function stillFindings(places: ProtectivePlaces, known: Set<string>) {
  let seen = await findingsOf(places)
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    const fresh = textOf(seen.findings)
    const isKnown =
      seen.findings.length === known.size && seen.findings.every(({ item, stamp }) => known.has(key(item, stamp)))
    if (isKnown) return seen
    await sleep(STILL_MS)
    seen = await findingsOf(places)
    if (textOf(seen.findings) === fresh) return seen
  }
  return seen
}

function textOf(findings: Finding[]): string {
  return findings.map(({ item, stamp }) => key(item, stamp)).join('\n')
}

async function findingsOf({ home, policiesDir, packDirs, defaultsDir }: ProtectivePlaces) {
  const unlisted: string[] = []
  const folder = async (dir: string, prefix: string, origin: Origin): Promise<Finding[]> => {
    const listing = await listFolder(dir)
    for (const path of listing.unlisted.keys()) unlisted.push(`${prefix}/${path}`)
    const folders = [...listing.unlisted].map(([path, code]) =>
      folderFinding(`${prefix}/${path}`, `unreadable:${code}`, origin),
    )
    const isListed = listing.exists && !listing.unlisted.has('')
    return [
      ...folders,
      ...(isListed ? [folderFinding(`${prefix}/`, 'folder', origin)] : []),
      ...listing.files.map((file) => fileFinding(`${prefix}/${file.path}`, file, origin)),
    ]
  }
  const file = async (name: string, kind: ConfigKind): Promise<Finding[]> => {
    const found = await seeFile(join(home, name), name)
    if (found === undefined) return []
    if (typeof found === 'string') return [folderFinding(name, `unreadable:${found}`, { kind, layer: 'overlay' })]
    return [fileFinding(name, found, { kind, layer: 'overlay' })]
  }
  const findings = await Promise.all([
    folder(defaultsDir, 'svc/policies', { kind: 'policy', layer: 'default' }),
    folder(policiesDir, 'policies', { kind: 'policy', layer: 'overlay' }),
    ...HOME_FOLDERS.map(([name, kind]) => folder(join(home, name), name, { kind, layer: 'overlay' })),
    ...HOME_FILES.map(([name, kind]) => file(name, kind)),
    packFindings(packDirs, unlisted),
  ])
  return { findings: findings.flat(), unlisted }
}

async function packFindings(dirs: string[], unlisted: string[]): Promise<Finding[]> {
  const findings: Finding[] = []
  const taken = new Set<string>()
  for (const dir of dirs) {
    const names = await packNames(dir)
    if (typeof names === 'string') {
      unlisted.push('packs/')
      continue
    }
    for (const name of names.filter((each) => !taken.has(each))) {
      taken.add(name)
      findings.push(...(await findingsOfPack(join(dir, name), name, unlisted)))
    }
  }
  return findings
}

async function findingsOfPack(directory: string, name: string, unlisted: string[]): Promise<Finding[]> {
  const { files, unlisted: hidden } = await listFolder(directory)
  for (const path of hidden.keys()) unlisted.push(`packs/${name}/${path}`)
  if (files.length === 0) return []
  const stamp = files.map((file) => key(file.path, file.stamp)).join('\n')
  return [
    { item: `packs/${name}`, kind: 'pack', layer: 'pack', pack: name, stamp, folder: { directory, files } },
    ...files.flatMap((file) => {
      const kind = PACK_FOLDERS[file.path.split('/')[0] ?? '']
      const origin = { layer: 'pack', pack: name } as const
      return kind === undefined ? [] : [fileFinding(`packs/${name}/${file.path}`, file, { ...origin, kind })]
    }),
  ]
}

/** Folders of a directory; a text is the error of listing it. */
async function packNames(dir: string): Promise<string[] | string> {
  try {
    return (await readdir(dir)).filter((name) => !name.startsWith('.')).sort()
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? [] : codeOf(error)
  }
}

function fileFinding(item: string, file: SeenFile, origin: Origin): Finding {
  return { item, stamp: file.stamp, file, ...origin }
}

function folderFinding(item: string, state: string, origin: Origin): Finding {
  return { item, stamp: state, state, ...origin }
}

async function readItem({ item, kind, layer, pack, file, folder, state }: Finding): Promise<ConfigItem> {
  const base = { item, kind, layer, ...(pack !== undefined && { pack }) }
  if (folder !== undefined) {
    const newest = folder.files.reduce((one, other) => (other.mtime > one.mtime ? other : one))
    return { ...base, state: packState(folder.directory), about: aboutOf(newest) }
  }
  if (file === undefined) return { ...base, state: state ?? '', about: {} }
  const bytes = await readBytes(file)
  if (typeof bytes === 'string') return { ...base, state: bytes, about: aboutOf(file) }
  const text = COMPARED.has(kind) && item.match(/\.ya?ml$/i) !== null ? { body: new TextDecoder().decode(bytes) } : {}
  return { ...base, state: digestOf(bytes), about: aboutOf(file), ...text }
}

/** The digest that the runs of a pack name; a pack that cannot be loaded has none. */
function packState(directory: string): string {
  try {
    const read = readPackFiles(directory, basename(directory))
    if (!Array.isArray(read)) return read.digest
    if (read.some(({ message }) => message.endsWith('ENOENT'))) return VANISHED
    return `unreadable:${read.map(({ file, message }) => `${file}: ${message}`).join('; ')}`
  } catch (error) {
    return `unreadable:${codeOf(error)}`
  }
}

async function readBytes({ full, size, mtime }: SeenFile): Promise<Uint8Array | string> {
  if (size > MAX_BYTES) return `unreadable:too large (${size} bytes, ${mtime})`
  try {
    return await readFile(full)
  } catch (error) {
    return `unreadable:${codeOf(error)}`
  }
}

function aboutOf({ uid, mtime }: SeenFile): ConfigItem['about'] {
  return { owner: fileOwner(uid), mtime }
}
