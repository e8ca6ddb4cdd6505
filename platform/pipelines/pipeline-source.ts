import { lstatSync } from 'node:fs'
import { DomainError } from '#core/errors.ts'
import { type FileFault, faultText } from '#core/file-fault.ts'
import { createLru } from '#core/lru.ts'
import type { PipelineTemplates } from '#core/pipeline/pipeline-facts.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { type BundlePlace, isBundlePath, type PipelineRoot, placeIn } from './bundle-place.ts'
import { listBundles } from './list-bundles.ts'
import { type BundleText, type LoadedBundle, loadBundle, type ParsedBundle, parseBundle } from './load-bundle.ts'

export interface FoundPipeline {
  definition: PipelineDefinition
  bundle: { path: string; digest: string }
}

/**
 * The bundles of a deployment and of its packs. Files are read at each call: a changed file counts from then on. An unchanged one is not
 * parsed again.
 */
export interface PipelineSource {
  /** every bundle with its pipelines, or with its faults; and faults where no bundle could be recognised */
  list(): { bundles: LoadedBundle[]; faults: FileFault[] }
  /** Throws `validation_failed`: no such bundle or pipeline, or everything that is wrong with the bundle. */
  find(bundlePath: string, pipelineName?: string): FoundPipeline
}

export interface PipelineSourceOptions {
  /** roots of bundles; the first one with a path owns it */
  roots: () => readonly PipelineRoot[]
  templates: () => PipelineTemplates
}

const MAX_ERRORS = 50
/** Most parsed bundles in memory. */
const REMEMBERED = 20

export function createPipelineSource({ roots, templates }: PipelineSourceOptions): PipelineSource {
  const parsed = createLru<string, ParsedBundle>(REMEMBERED)

  function parse(text: BundleText): ParsedBundle {
    const key = `${text.digest} ${text.file}`
    const bundle = parsed.get(key) ?? parseBundle(text)
    parsed.set(key, bundle)
    return bundle
  }

  function list() {
    const listed = roots().map(listBundles)
    const places = new Map<string, BundlePlace>()
    for (const each of listed)
      for (const place of each.places) if (!places.has(place.path)) places.set(place.path, place)
    const known = templates()
    return {
      bundles: [...places.values()].map((place) => loadBundle(place, known, parse)),
      faults: listed.flatMap(({ faults }) => faults),
    }
  }

  function paths(): string[] {
    return roots().flatMap((root) => listBundles(root).places.map(({ path }) => path))
  }

  return {
    list,
    find(bundlePath, pipelineName) {
      if (!isBundlePath(bundlePath))
        throw refusal('bundle_path', 'the path of a bundle is relative, such as releases or data/dataset-release')
      const place = roots()
        .flatMap((root) => placeIn(root, bundlePath) ?? [])
        .find(isThere)
      if (place === undefined)
        throw refusal('bundle_path', `there is no bundle ${bundlePath}${didYouMean(bundlePath, paths())}`)
      return pipelineOf(loadBundle(place, templates(), parse), pipelineName)
    },
  }
}

/** An unreadable bundle counts as existing: it must not make way for another one of that name. */
function isThere({ directory }: BundlePlace): boolean {
  try {
    lstatSync(directory)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
  }
}

function pipelineOf({ path, digest, pipelines, faults }: LoadedBundle, name: string | undefined): FoundPipeline {
  const errors = faults.filter(({ warning }) => warning !== true)
  if (errors.length > 0 || digest === undefined) throw brokenBundle(path, errors)
  const names = pipelines.map((each) => each.name)
  const definition =
    name === undefined && pipelines.length === 1 ? pipelines[0] : pipelines.find((each) => each.name === name)
  if (definition !== undefined) return { definition, bundle: { path, digest } }
  if (name === undefined)
    throw refusal('pipeline_name', `bundle ${path} has more than one pipeline: name one of ${names.join(', ')}`)
  throw refusal(
    'pipeline_name',
    `bundle ${path} has no pipeline ${JSON.stringify(name.slice(0, 64))}${didYouMean(name, names)}`,
  )
}

function refusal(field: string, msg: string): DomainError {
  return new DomainError('validation_failed', msg, {
    errors: [{ pointer: `/${field}`, loc: [field], msg, type: 'invalid' }],
  })
}

function brokenBundle(path: string, faults: readonly FileFault[]): DomainError {
  const [first] = faults
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  const text = first === undefined ? '' : `: ${faultText(first)}${more}`
  return new DomainError('validation_failed', `bundle ${path} cannot be used${text}`, {
    errors: faults.slice(0, MAX_ERRORS).map((fault) => ({
      pointer: '/bundle_path',
      loc: ['bundle_path'],
      msg: faultText(fault),
      type: 'invalid_bundle',
      ...(fault.line !== undefined && { line: fault.line }),
      ...(fault.column !== undefined && { column: fault.column }),
    })),
  })
}
