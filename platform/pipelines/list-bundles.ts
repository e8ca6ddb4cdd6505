import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { type BundlePlace, isBundlePath, PIPELINE_FILE, type PipelineRoot, placeIn } from './bundle-place.ts'

const MAX_FOLDERS = 1_000
const MAX_DEPTH = 8

export interface ListedBundles {
  places: BundlePlace[]
  /** unlistable entries, and folders that were probably meant to be bundles */
  faults: FileFault[]
}

/** The bundles below a root, in the order of their paths. A linked folder may be one, and is not entered further. */
export function listBundles(root: PipelineRoot): ListedBundles {
  const found: ListedBundles = { places: [], faults: [] }
  const open: { path: string; inBundle: boolean }[] = [{ path: '', inBundle: false }]
  let folders = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path } = next
    folders += 1
    if (folders > MAX_FOLDERS) {
      found.faults.push({ file: root.shown, message: `more than ${MAX_FOLDERS} folders; is this the right directory?` })
      break
    }
    const entries = entriesOf(join(root.directory, path))
    const shown = path === '' ? root.shown : `${root.shown}/${path}`
    if (!Array.isArray(entries)) {
      // most packs have no pipelines
      if (path !== '' || entries !== 'ENOENT')
        found.faults.push({ file: shown, message: `cannot be listed: ${entries}` })
      else if (root.pack === undefined && root.optional !== true)
        found.faults.push({ file: root.directory, message: 'there is no such directory' })
      continue
    }
    const isBundle = path !== '' && entries.some(({ name }) => name === PIPELINE_FILE)
    if (isBundle) add(path, shown)
    const inBundle = next.inBundle || isBundle
    if (!inBundle) found.faults.push(...misnamed(entries, shown))
    for (const entry of entries) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`
      const depth = inside.split('/').length
      if (entry.isDirectory() && depth < MAX_DEPTH) open.push({ path: inside, inBundle })
      else if (entry.isSymbolicLink() && !inBundle && isLinkedBundle(root, inside))
        add(inside, `${root.shown}/${inside}`)
    }
  }
  found.places.sort((a, b) => (a.path < b.path ? -1 : 1))
  return found

  function add(inside: string, shown: string): void {
    const path = root.pack === undefined ? inside : `${root.pack}/${inside}`
    const place = isBundlePath(path) ? placeIn(root, path) : undefined
    if (place !== undefined) found.places.push(place)
    else
      found.faults.push({
        file: shown,
        message: 'a folder of bundles is named with letters, digits, dots, dashes and underscores: rename it',
      })
  }
}

function entriesOf(directory: string): Dirent[] | string {
  try {
    return readdirSync(directory, { withFileTypes: true }).filter(({ name }) => !name.startsWith('.'))
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  }
}

/** A link to a folder with a bundle, such as `current`. One that leads outside counts too: reading it reports the fault. */
function isLinkedBundle(root: PipelineRoot, path: string): boolean {
  try {
    const real = realpathSync(join(root.directory, path))
    if (!statSync(real).isDirectory()) return false
    const isOutside = !`${real}${sep}`.startsWith(`${realpathSync(root.confines)}${sep}`)
    return isOutside || existsSync(join(real, PIPELINE_FILE))
  } catch {
    return false
  }
}

/** YAML under a name that is not read: `pipelines.yaml`, or `pipeline.yml`. */
function misnamed(entries: readonly Dirent[], shown: string): FileFault[] {
  return entries
    .filter(({ name }) => /\.ya?ml$/i.test(name))
    .map(({ name }) => ({
      file: `${shown}/${name}`,
      message: `is not read: a bundle is a folder with a ${PIPELINE_FILE}${didYouMean(name, [PIPELINE_FILE])}`,
    }))
}
