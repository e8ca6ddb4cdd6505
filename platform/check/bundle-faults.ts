import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, normalize, resolve, sep } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import type { OperatorCatalog } from '#core/operator.ts'
import type { PipelineTemplates } from '#core/pipeline/pipeline-facts.ts'
import { PIPELINE_FILE, type PipelineRoot } from '#platform/pipelines/bundle-place.ts'
import { listBundles } from '#platform/pipelines/list-bundles.ts'
import { loadBundle } from '#platform/pipelines/load-bundle.ts'
import { packRoot } from '#platform/pipelines/pipeline-roots.ts'
import { templatesByName } from '../packs/loaded-pack.ts'
import { type FoundPack, readPack, readPacks, templatesOf } from './read-packs.ts'

/** Returns every fault in the bundles of some packs, and of the deployment. */
export function bundleFaults(
  bringing: readonly FoundPack[],
  { packs, own }: { packs: readonly FoundPack[]; own?: PipelineRoot | undefined },
): FileFault[] {
  const templates = pipelineTemplates(packs)
  const roots = bringing.map(({ folder, name }) => packRoot(folder, name))
  return [...(own === undefined ? [] : [own]), ...roots].flatMap((root) => faultsBelow(root, templates))
}

export interface PipelineLintOptions {
  /** a bundle, or a directory with bundles */
  directory: string
  /** directories of packs whose templates it may run */
  packDirs: readonly string[]
  /** the bundles of the deployment */
  pipelinesDir?: string | undefined
  catalog: OperatorCatalog
}

/** Returns every fault in one bundle, or in all of a directory; undefined where there is none. A bundle in a pack may run its templates. */
export function lintPipelines({ directory, packDirs, pipelinesDir, catalog }: PipelineLintOptions) {
  const absolute = resolve(directory)
  if (statSync(absolute, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  const home = packAround(absolute)
  const others = readPacks(packDirs, catalog).packs
  const packs =
    home === undefined ? others : [...others.filter(({ name }) => name !== basename(home)), readPack(home, catalog)]
  const shown = normalize(directory).replace(/[/\\]$/, '')
  const isOfDeployment = pipelinesDir !== undefined && `${absolute}${sep}`.startsWith(`${pipelinesDir}${sep}`)
  const confines = home ?? (isOfDeployment ? pipelinesDir : absolute)
  const templates = pipelineTemplates(packs)
  if (existsSync(join(absolute, PIPELINE_FILE)))
    return loadBundle({ path: basename(absolute), directory: absolute, confines, shown }, templates).faults
  const root: PipelineRoot = { directory: absolute, confines, shown }
  const { places, faults } = listBundles(root)
  return places.length + faults.length === 0 ? undefined : faultsBelow(root, templates)
}

/** Templates of a broken pack exist, with unknown inputs. */
function pipelineTemplates(packs: readonly FoundPack[]): PipelineTemplates {
  const broken = packs.filter(({ loaded }) => loaded === undefined).flatMap(templatesOf)
  return new Map([
    ...broken.map(([name]) => [name, undefined] as const),
    ...templatesByName(packs.flatMap(({ loaded }) => loaded ?? [])),
  ])
}

function faultsBelow(root: PipelineRoot, templates: PipelineTemplates): FileFault[] {
  const { places, faults } = listBundles(root)
  return [...faults, ...places.flatMap((place) => loadBundle(place, templates).faults)]
}

/** The folder of the pack that a directory lies in. */
function packAround(directory: string): string | undefined {
  for (let at = directory; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, 'pack.yaml'))) return at
  return undefined
}
