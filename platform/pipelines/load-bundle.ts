import type { FileFault } from '#core/file-fault.ts'
import { BundleSpec } from '#core/pipeline/bundle-file-schema.ts'
import { checkPipeline } from '#core/pipeline/check-pipeline.ts'
import type { PipelineTemplates } from '#core/pipeline/pipeline-facts.ts'
import type { PipelineDefinition } from '#core/pipeline/types.ts'
import { parseAsMeant } from '#platform/packs/parse-document.ts'
import { type BundlePlace, PIPELINE_FILE } from './bundle-place.ts'
import { readBundle } from './read-bundle.ts'

export interface LoadedBundle {
  /** the name of the bundle in a start */
  path: string
  /** `sha256:` over its files; absent where they cannot be read */
  digest?: string
  /** compiled, in the order of the file; none while anything in the bundle is wrong */
  pipelines: PipelineDefinition[]
  /** in the order of the file */
  faults: FileFault[]
}

/** The content of a bundle's file, independent of its templates. */
export type ParsedBundle = ReturnType<typeof parseBundle>

export interface BundleText {
  file: string
  bytes: Uint8Array
  /** `sha256:` over all files of the bundle */
  digest: string
}

export function parseBundle({ file, bytes }: BundleText) {
  return parseAsMeant(BundleSpec, file, bytes)
}

/** Reads, checks and compiles a bundle. Never throws for the content of its files. `parse` may cache. */
export function loadBundle(
  place: BundlePlace,
  templates: PipelineTemplates,
  parse: (text: BundleText) => ParsedBundle = parseBundle,
): LoadedBundle {
  const { path, shown } = place
  const read = readBundle(place)
  if (Array.isArray(read)) return { path, pipelines: [], faults: read }
  const { files, digest } = read
  const file = `${shown}/${PIPELINE_FILE}`
  const bytes = files.get(PIPELINE_FILE)
  if (bytes === undefined) return { path, digest, pipelines: [], faults: [{ file, message: 'the file is missing' }] }
  const { faults, meant } = parse({ file, bytes, digest })
  const checked = Object.entries(meant?.data.pipelines ?? {}).map(([name, spec]) =>
    checkPipeline(name, spec, { templates, bundle_digest: digest }),
  )
  const all = [...faults, ...checked.flatMap((each) => each.faults.flatMap((fault) => meant?.place(fault) ?? []))]
  const isSound = all.every(({ warning }) => warning === true)
  return {
    path,
    digest,
    pipelines: isSound ? checked.flatMap(({ definition }) => definition ?? []) : [],
    faults: inOrder(all),
  }
}

function inOrder(faults: readonly FileFault[]): FileFault[] {
  const distinct = [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
  return distinct.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
}
