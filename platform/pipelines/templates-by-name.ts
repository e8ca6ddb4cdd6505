import type { PipelineTemplates } from '#core/pipeline/pipeline-facts.ts'
import type { LoadedPack } from '#platform/packs/loaded-pack.ts'

/** The templates of sound packs, as pipelines name them. */
export function templatesByName(packs: readonly Pick<LoadedPack, 'templates'>[]): PipelineTemplates {
  return new Map(packs.flatMap(({ templates }) => templates.map((each) => [`${each.pack}/${each.template}`, each])))
}
