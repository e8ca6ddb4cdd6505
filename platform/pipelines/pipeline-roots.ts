import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { PipelineRoot } from './bundle-place.ts'

export interface PipelinePlaces {
  /** the bundles of the deployment */
  pipelinesDir?: string | undefined
  /** true where they need not be there */
  optional?: boolean
  /** directories whose folders are packs; the first one with a name owns it */
  packDirs: readonly string[]
}

/** Returns the roots of bundles: the deployment's first, then the folder `pipelines` of each pack. */
export function pipelineRoots({ pipelinesDir, packDirs, optional = false }: PipelinePlaces): PipelineRoot[] {
  const own = pipelinesDir === undefined ? [] : [ownRoot(pipelinesDir, optional)]
  const packs = new Map<string, PipelineRoot>()
  for (const dir of packDirs)
    for (const pack of foldersOf(dir)) if (!packs.has(pack)) packs.set(pack, packRoot(join(dir, pack), pack))
  return [...own, ...packs.values()]
}

/** The bundles of the deployment. */
export function ownRoot(directory: string, optional: boolean): PipelineRoot {
  return { directory, confines: directory, shown: 'pipelines', ...(optional && { optional }) }
}

/** The bundles of one pack. */
export function packRoot(folder: string, pack: string): PipelineRoot {
  return { directory: join(folder, 'pipelines'), confines: folder, pack, shown: `${pack}/pipelines` }
}

function foldersOf(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => !name.startsWith('.'))
      .filter((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.isDirectory() === true)
      .sort()
  } catch {
    return []
  }
}
