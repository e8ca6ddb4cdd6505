import type { PackFiles } from '#platform/packs/read-pack-files.ts'
import type { SkillFile } from './load-skill.ts'

/** The skills of a pack, unread: whether one is sound depends on the templates of all packs. */
export function packSkills(pack: string, { files }: PackFiles): SkillFile[] {
  const folders = new Set([...files.keys()].flatMap((path) => /^skills\/([^/]+)\//.exec(path)?.[1] ?? []))
  return [...folders].map((folder) => {
    const path = `skills/${folder}/SKILL.md`
    return { file: `${pack}/${path}`, folder, bytes: files.get(path) ?? new Uint8Array() }
  })
}
