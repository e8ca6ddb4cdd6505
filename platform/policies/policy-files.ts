import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EMPTY_LAYER, joinLayers, type LayerPolicies } from '#core/policy/layer.ts'
import { unreadable } from '#core/policy/parse.ts'
import { parsePolicyYaml } from './parse-policy-yaml.ts'

interface ReadFile {
  /** changes whenever the file does */
  stamp: string
  parsed: LayerPolicies
}

/** What a directory held when it was last read. */
export interface PolicyFiles {
  layer: LayerPolicies
  files: Map<string, ReadFile>
}

/** Stands among the files for a directory that cannot be listed; no file has a name with a space and without a suffix. */
const DIRECTORY = 'policies directory'

export const NO_POLICY_FILES: PolicyFiles = { layer: EMPTY_LAYER, files: new Map() }

/**
 * Reads `*.yaml` and `*.yml` of a directory; files that did not change since `previous` are not read again, and nothing changed
 * answers with `previous` itself. A missing directory holds nothing. What cannot be read keeps its last known policies and
 * turns the gate on everywhere.
 */
export async function readPolicyFiles(directory: string, previous = NO_POLICY_FILES): Promise<PolicyFiles> {
  const files = await lookAt(directory, previous)
  const isSame =
    files.size === previous.files.size && [...files].every(([name, file]) => previous.files.get(name) === file)
  return isSame ? previous : { layer: joinLayers([...files.values()].map((file) => file.parsed)), files }
}

async function lookAt(directory: string, previous: PolicyFiles): Promise<Map<string, ReadFile>> {
  let names: string[]
  try {
    names = await readdir(directory)
  } catch (error) {
    if (isMissing(error)) return new Map()
    return new Map(previous.files).set(DIRECTORY, unreadableFile(DIRECTORY, error, previous.files.get(DIRECTORY)))
  }
  const files = new Map<string, ReadFile>()
  for (const name of names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort()) {
    const file = await readIfChanged(directory, name, previous.files.get(name))
    if (file !== undefined) files.set(name, file)
  }
  return files
}

async function readIfChanged(directory: string, name: string, before?: ReadFile): Promise<ReadFile | undefined> {
  const path = join(directory, name)
  try {
    // Stamped before it is read: a change in between shows at the next look.
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    const stamp = [ino, size, mtimeNs, ctimeNs].join(':')
    if (before?.stamp === stamp) return before
    return { stamp, parsed: parseBytes(await readFile(path), name) }
  } catch (error) {
    if (isMissing(error) && !(await exists(path))) return undefined
    return unreadableFile(name, error, before)
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

function unreadableFile(name: string, error: unknown, before?: ReadFile): ReadFile {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  const stamp = `unreadable ${code}`
  if (before?.stamp === stamp) return before
  const broken = [unreadable({ layer: 'overlay', source: name }, [{ message: `cannot be read (${code})`, path: [] }])]
  return { stamp, parsed: { policies: before?.parsed.policies ?? [], broken } }
}

/** A dangling symbolic link exists; a file that was just removed does not. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
