import { basename, join } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import type { JsonObject } from '#core/json/json.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'
import { loadPack } from '#platform/packs/pack-loader.ts'
import { type PackFiles, readPackFiles } from '#platform/packs/read-pack-files.ts'
import type { PackPolicyDocument } from '#platform/policies/policy-source.ts'
import { foldersIn } from './read-documents.ts'

/** A pack that was found: compiled if it is valid, and its files. */
export interface FoundPack {
  name: string
  folder: string
  loaded: LoadedPack | undefined
  files: PackFiles['files']
  policies: readonly PackPolicyDocument[]
  faults: FileFault[]
}

/** The packs of some directories, the first to have a name owning it. */
export function readPacks(
  dirs: readonly string[],
  catalog: OperatorCatalog,
): { packs: FoundPack[]; faults: FileFault[] } {
  const packs: FoundPack[] = []
  const faults: FileFault[] = []
  for (const folder of dirs.flatMap((dir) => foldersIn(dir).map((name) => join(dir, name)))) {
    const name = basename(folder)
    if (packs.some((each) => each.name === name))
      faults.push({ file: name, message: `there is a pack ${name} already; give this one another name` })
    else packs.push(readPack(folder, catalog))
  }
  return { packs, faults }
}

/** The pack in a folder. */
export function readPack(folder: string, catalog: OperatorCatalog): FoundPack {
  const name = basename(folder)
  const read = readPackFiles(folder, name)
  const load = loadPack(folder, catalog)
  return {
    name,
    folder,
    loaded: load.pack,
    files: Array.isArray(read) ? new Map() : read.files,
    policies: load.pack?.policies ?? ('policies' in load ? load.policies : []),
    faults: load.faults,
  }
}

/** Returns its templates by `pack/template`; those of a broken pack have unknown inputs. */
export function templatesOf({ name, loaded, files }: FoundPack): [string, JsonObject | undefined][] {
  if (loaded !== undefined) return loaded.templates.map((each) => [`${name}/${each.template}`, each.inputs_schema])
  return [...files.keys()].flatMap((path): [string, undefined][] => {
    const id = /^templates\/([^/]+)\.ya?ml$/.exec(path)?.[1]
    return id === undefined ? [] : [[`${name}/${id}`, undefined]]
  })
}
