import type { FileFault } from '#core/file-fault.ts'
import { checkSkill, type FindInputs } from '#core/skill/check-skill.ts'
import { type Skill, skillStart } from '#core/skill/skill.ts'
import { SkillFrontmatter } from '#core/skill/skill-schema.ts'
import { parseDocument } from '../packs/parse-document.ts'
import type { PackFiles } from '../packs/read-pack-files.ts'
import { splitFrontmatter } from './split-frontmatter.ts'

/** It names a schedule. */
const MAX_ID = 100

/** A SKILL.md that was found, and not parsed yet. */
export interface SkillFile {
  /** as people find it, such as `sre/skills/follow-up/SKILL.md` */
  file: string
  /** its folder, which must have its name */
  folder: string
  bytes: Uint8Array
}

/** The layer of a skill. */
export type SkillOrigin = { layer: 'pack'; pack: string } | { layer: 'overlay' }

/** Reads and checks one SKILL.md. Places in the frontmatter are places in the file. */
export function loadSkill(
  { file, folder, bytes }: SkillFile,
  origin: SkillOrigin,
  findInputs: FindInputs,
): Skill | FileFault[] {
  const split = splitFrontmatter(file, bytes)
  if ('message' in split) return [split]
  const parsed = parseDocument(SkillFrontmatter, file, split.frontmatter)
  if (Array.isArray(parsed)) return parsed
  const { data, yaml } = parsed
  const faults = checkSkill(data, folder, findInputs)
  if (faults.length > 0) return faults.map(yaml.place)
  const start = skillStart(data)
  const id = `${origin.layer === 'pack' ? origin.pack : origin.layer}/${data.name}`
  if (id.length > MAX_ID)
    return [yaml.place({ path: ['name'], message: `with its pack longer than ${MAX_ID} characters` })]
  return {
    id,
    name: data.name,
    description: data.description,
    layer: origin.layer,
    file,
    // it was read from YAML as plain JSON
    frontmatter: asJson(yaml.value),
    instructions: split.instructions,
    ...(start !== undefined && { start }),
  }
}

function asJson(value: unknown): Skill['frontmatter'] {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** The skills of a pack, unread: whether one is sound depends on the templates of all packs. */
export function packSkills(pack: string, { files }: PackFiles): SkillFile[] {
  const folders = new Set([...files.keys()].flatMap((path) => /^skills\/([^/]+)\//.exec(path)?.[1] ?? []))
  return [...folders].map((folder) => {
    const path = `skills/${folder}/SKILL.md`
    return { file: `${pack}/${path}`, folder, bytes: files.get(path) ?? new Uint8Array() }
  })
}
