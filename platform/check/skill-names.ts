import type { FileFault } from '#core/file-fault.ts'
import { checkPlaceNames } from '#core/names/check-start-names.ts'
import type { KnownNames } from '#core/names/known-names.ts'
import { SKILL_KEYS, SkillFrontmatter } from '#core/skill/skill-schema.ts'
import { didYouMean } from '#core/text/did-you-mean.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { readOverlaySkills } from '#platform/skills/overlay-skills.ts'
import { loadSkills, type SkillSource } from '#platform/skills/skill-catalogue.ts'
import { splitFrontmatter } from '#platform/skills/split-frontmatter.ts'
import { packSkills, type SkillFile } from '../skills/load-skill.ts'
import type { FoundPack } from './read-packs.ts'

/** Returns every fault in the skills of packs and of a data directory, and unknown names in them. */
export function skillFaults(home: string | undefined, packs: readonly FoundPack[], known: KnownNames): FileFault[] {
  const ofPacks = packs.map(
    ({ name, files }): SkillSource => [{ layer: 'pack', pack: name }, packSkills(name, { files, digest: '' })],
  )
  const sources: SkillSource[] = [...ofPacks, [{ layer: 'overlay' }, home === undefined ? [] : readOverlaySkills(home)]]
  const { faults } = loadSkills(sources, (pack, template) => {
    const run = `${pack}/${template}`
    if (!known.templates.has(run)) return undefined
    // the inputs of a broken template are unknown: any is accepted
    return known.templates.get(run) ?? { type: 'object', additionalProperties: true }
  })
  return [
    ...faults.map((fault) => nearest(fault, known)),
    ...sources.flatMap(([, files]) => files.flatMap((file) => names(file, known))),
  ]
}

function nearest(fault: FileFault, { templates }: KnownNames): FileFault {
  const run = /^there is no template (\S+)$/.exec(fault.message)?.[1]
  return run === undefined ? fault : { ...fault, message: `${fault.message}${didYouMean(run, templates.keys())}` }
}

/** Other tools keep keys of their own here; one that is nearly ours is a mistake. */
function names({ file, bytes }: SkillFile, known: KnownNames): FileFault[] {
  const split = splitFrontmatter(file, bytes)
  if ('message' in split) return []
  const parsed = parseDocument(SkillFrontmatter, file, split.frontmatter)
  if (Array.isArray(parsed)) return []
  const { data, yaml } = parsed
  const keys = Object.keys(data)
    .filter((key) => !SKILL_KEYS.has(key))
    .flatMap((key) => {
      const hint = didYouMean(key, SKILL_KEYS)
      return hint === '' ? [] : [{ path: [key], message: `unknown key ${JSON.stringify(key)}${hint}`, key: true }]
    })
  return [...keys, ...checkPlaceNames(data, [], known)].map(yaml.place)
}
