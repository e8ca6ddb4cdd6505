import { lstat, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EMPTY_LAYER, joinLayers, type LayerPolicies } from '#core/policy/layer.ts'
import { type PolicyOrigin, unreadable } from '#core/policy/parse.ts'
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

export const NO_POLICY_FILES: PolicyFiles = { layer: EMPTY_LAYER, files: new Map() }

/**
 * Reads `*.yaml` and `*.yml` of a directory; files that did not change since `previous` are not read again, and nothing changed
 * answers with `previous` itself. A missing directory holds nothing; one that cannot be read turns the gate on everywhere.
 */
export async function readPolicyFiles(directory: string, previous = NO_POLICY_FILES): Promise<PolicyFiles> {
  const files = new Map<string, ReadFile>()
  let changed = false
  for (const name of await policyFileNames(directory)) {
    const before = previous.files.get(name)
    const now = await readIfChanged(directory, name, before)
    if (now === undefined) continue
    files.set(name, now)
    changed ||= now !== before
  }
  if (!changed && files.size === previous.files.size) return previous
  return { layer: joinLayers([...files.values()].map((file) => file.parsed)), files }
}

/** Names in code point order; the pseudo name `.` stands for a directory that cannot be listed. */
async function policyFileNames(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory)
    return names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort()
  } catch (error) {
    return isMissing(error) ? [] : ['.']
  }
}

async function readIfChanged(directory: string, name: string, before?: ReadFile): Promise<ReadFile | undefined> {
  const path = join(directory, name)
  const origin: PolicyOrigin = { layer: 'overlay', source: name === '.' ? 'policies directory' : name }
  try {
    // Stamped before it is read: a change in between shows at the next look.
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    const stamp = [ino, size, mtimeNs, ctimeNs].join(':')
    if (before?.stamp === stamp) return before
    const parsed = parsePolicyYaml(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)), origin)
    return { stamp, parsed }
  } catch (error) {
    if (isMissing(error) && !(await exists(path))) return undefined
    const message = error instanceof Error ? error.message.replaceAll(directory, '').trim() : 'cannot be read'
    if (before?.stamp === message) return before
    return { stamp: message, parsed: { policies: [], broken: [unreadable(origin, [{ message, path: [] }])] } }
  }
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
