import type { Dirent } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EMPTY_LAYER, joinLayers, type LayerPolicies, type Policy } from '#core/policy/layer.ts'
import { unreadable } from '#core/policy/parse.ts'
import { isRemoved, readStill, type StillOptions } from '../still-file.ts'
import { parsePolicyYaml } from './parse-policy-yaml.ts'

/** A file that is there and says nothing may be one that is being saved, or that was cut off. */
export const EMPTY_FILE = 'no policy in this file; to have none, remove the file'

/** Whether a file holds no policy document: it is empty, or all of it is comments or null. */
export function isEmptyFile({ policies, broken }: LayerPolicies): boolean {
  return policies.length === 0 && broken.length === 0
}

interface ReadFile {
  /** changes whenever the file does */
  stamp: string
  parsed: LayerPolicies
  /** true when it cannot be read as a policy file */
  faulty?: true
}

/** The content of a directory at the last read. */
export interface PolicyFiles {
  layer: LayerPolicies
  files: Map<string, ReadFile>
  /** true when it has held anything since it is followed; such a directory must not vanish unnoticed */
  held: boolean
}

/** `moving`: something is being written, and `found` has its last known value. */
export interface PolicyReading {
  found: PolicyFiles
  moving: boolean
}

/** The entry for a directory that cannot be listed; no policy file has a name with a space and without a suffix. */
const DIRECTORY = 'policies directory'

export const NO_POLICY_FILES: PolicyFiles = { layer: EMPTY_LAYER, files: new Map(), held: false }

/**
 * Reads `*.yaml` and `*.yml` of a directory; files that did not change since `previous` are not read again, and an unchanged directory
 * returns `previous` itself. Only removing a file removes its policies. An unreadable entry (a file, a folder, a `.json`, the directory
 * itself once it has held something or is `expected`) turns the gate on everywhere, and until it is readable the last known policies stay
 * in force, also of missing files.
 */
export async function readPolicyFiles(
  directory: string,
  previous = NO_POLICY_FILES,
  options: StillOptions & { expected?: boolean } = {},
): Promise<PolicyReading> {
  const { files, moving } = await readFiles(directory, previous, options)
  const missing = [...previous.files.keys()].filter((name) => !files.has(name))
  const isMoving = missing.some((name) => !isRemoved(join(directory, name), options))
  if (isMoving || [...files.values()].some((file) => file.faulty)) keepMissing(files, previous)
  const isSame =
    files.size === previous.files.size && [...files].every(([name, file]) => previous.files.get(name) === file)
  const layer = isSame ? previous.layer : joinLayers([...files.values()].map((file) => file.parsed))
  const found = isSame ? previous : { layer, files, held: previous.held || files.size > 0 }
  return { found, moving: moving || isMoving }
}

interface Seen {
  files: Map<string, ReadFile>
  moving: boolean
}

async function readFiles(
  directory: string,
  previous: PolicyFiles,
  options: StillOptions & { expected?: boolean },
): Promise<Seen> {
  const expected = options.expected === true || previous.held
  const seen: Seen = { files: new Map(), moving: false }
  const { files } = seen
  let entries: Dirent[]
  try {
    entries = await readdir(directory, { withFileTypes: true })
  } catch (error) {
    if (isMissing(error) && !expected) return seen
    const message = isMissing(error)
      ? 'is not there; what it held stays in force. To have no policies, leave it empty'
      : `cannot be read (${codeOf(error)})`
    files.set(DIRECTORY, faultyFile(DIRECTORY, message, previous.files.get(DIRECTORY)))
    return seen
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { name } = entry
    if (name.startsWith('.') || name === 'lost+found') continue
    const before = previous.files.get(name)
    const file = /\.ya?ml$/i.test(name)
      ? await readIfChanged(directory, name, before, options)
      : await misplaced(directory, entry, before)
    if (file === 'moving') seen.moving = true
    const known = file === 'moving' ? before : file
    if (known !== undefined) files.set(name, known)
  }
  return seen
}

/** Reports entries that were probably meant as policies and are not read. Other files, such as notes, are ignored. */
async function misplaced(directory: string, entry: Dirent, before?: ReadFile): Promise<ReadFile | undefined> {
  if (/\.json[5c]?$/i.test(entry.name))
    return faultyFile(entry.name, 'is not read: policies are in *.yaml and *.yml', before)
  const isFolder = entry.isSymbolicLink() ? await isDirectory(join(directory, entry.name)) : entry.isDirectory()
  return isFolder ? faultyFile(entry.name, 'is a folder: policies are in the directory itself', before) : undefined
}

/** A missing file may be the unreadable one: its policies stay. */
function keepMissing(files: Map<string, ReadFile>, previous: PolicyFiles): void {
  for (const [name, file] of previous.files) {
    const holds = !file.faulty || file.parsed.policies.length > 0
    if (holds && !files.has(name)) files.set(name, file)
  }
}

async function readIfChanged(
  directory: string,
  name: string,
  before: ReadFile | undefined,
  options: StillOptions,
): Promise<ReadFile | 'moving' | undefined> {
  const path = join(directory, name)
  const moving = () => (options.as_it_is ? faultyFile(name, 'is being written', before) : 'moving')
  // that a file was removed is told by a list that lacks it: this one may be of a directory that was replaced since
  const missing = async () => ((await isLink(path)) ? faultyFile(name, 'cannot be read (ENOENT)', before) : moving())
  try {
    const found = readStill(path, before?.stamp, options)
    if (found === 'same') return before
    if (found === 'moving') return moving()
    if (found === 'missing') return await missing()
    const { stamp, bytes } = found
    const parsed = parseBytes(bytes, name)
    return isEmptyFile(parsed) ? faultyFile(name, EMPTY_FILE, before) : { stamp, parsed: withLast(parsed, before) }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return await missing()
    return faultyFile(name, `cannot be read (${codeOf(error)})`, before)
  }
}

function parseBytes(bytes: Uint8Array, name: string): LayerPolicies {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const problem = { message: 'is not UTF-8', path: [] }
    return { policies: [], broken: [unreadable({ layer: 'overlay', source: name }, [problem])] }
  }
  return parsePolicyYaml(text, { layer: 'overlay', source: name })
}

/** A file with a fault keeps the demands of its last good version, unless it overrides them. */
function withLast({ policies, broken }: LayerPolicies, before?: ReadFile): LayerPolicies {
  const [first, ...others] = broken
  if (first === undefined || before === undefined) return { policies, broken }
  const last = [...before.parsed.policies, ...lastOf(before)].filter(({ name }) =>
    policies.every((policy) => policy.name !== name),
  )
  return last.length === 0 ? { policies, broken } : { policies, broken: [{ ...first, last }, ...others] }
}

const lastOf = (file: ReadFile | undefined): Policy[] => file?.parsed.broken.flatMap(({ last = [] }) => last) ?? []

/** Keeps the policies that it had. */
function faultyFile(name: string, message: string, before?: ReadFile): ReadFile {
  const stamp = `faulty: ${message}`
  if (before?.stamp === stamp) return before
  const last = lastOf(before)
  const fault = unreadable({ layer: 'overlay', source: name }, [{ message, path: [] }])
  const broken = [last.length === 0 ? fault : { ...fault, last }]
  return { stamp, parsed: { policies: before?.parsed.policies ?? [], broken }, faulty: true }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** A link without a target is a fault of the file. */
async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  )
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
