import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { FileFault } from '#core/file-fault.ts'
import type { JsonObject } from '#core/json/json.ts'
import { TemplateSpec } from '#core/plan/template-schema.ts'
import type { FindInputs } from '#core/skill/check-skill.ts'
import type { Skill } from '#core/skill/skill.ts'
import { parseDocument } from '#platform/packs/parse-document.ts'
import { type PackFiles, readPackFiles } from '#platform/packs/read-pack-files.ts'
import { loadSkill, packSkills } from './load-skill.ts'
import { readOverlaySkills } from './overlay-skills.ts'
import { type LoadedSkills, loadSkills, type SkillSource } from './skill-catalogue.ts'

export interface SkillPlaces {
  /** directories whose folders are packs */
  dirs: string[]
  /** the data directory */
  home: string
}

/** Reads the skills of a deployment from its files, without a service: packs are read, but not compiled. */
export function inspectSkills({ dirs, home }: SkillPlaces): LoadedSkills {
  const packs = readPacks(packFolders(dirs))
  const ofPacks = [...packs].map(([pack, files]): SkillSource => [{ layer: 'pack', pack }, packSkills(pack, files)])
  return loadSkills([...ofPacks, [{ layer: 'overlay' }, readOverlaySkills(home)]], inputsIn(packs))
}

/**
 * Checks the SKILL.md at a path, in a folder, or in the folders of a folder, against the packs of the deployment and its own. Undefined
 * when there is none.
 */
export function lintSkills(path: string, { dirs }: Pick<SkillPlaces, 'dirs'>): (Skill | FileFault[])[] | undefined {
  const files = skillPaths(path)
  if (files.length === 0) return undefined
  const own = files
    .map((file) => resolve(dirname(file), '../..'))
    .filter((folder) => existsSync(join(folder, 'pack.yaml')))
  const packs = readPacks([...packFolders(dirs), ...own])
  return files.map((file) => {
    const folder = basename(dirname(resolve(file)))
    return loadSkill({ file, folder, bytes: readFileSync(file) }, { layer: 'overlay' }, inputsIn(packs))
  })
}

function skillPaths(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (stat.isFile()) return [path]
  if (existsSync(join(path, 'SKILL.md'))) return [join(path, 'SKILL.md')]
  const below = [path, join(path, 'skills')].flatMap((folder) => folderNames(folder).map((name) => join(folder, name)))
  return below.map((folder) => join(folder, 'SKILL.md')).filter((file) => existsSync(file))
}

/** Later folders override packs of the same name, for a pack under development beside its installed version. */
function readPacks(folders: string[]): Map<string, PackFiles> {
  const packs = new Map<string, PackFiles>()
  for (const folder of folders) {
    const files = readPackFiles(folder, basename(folder))
    if (!Array.isArray(files)) packs.set(basename(folder), files)
  }
  return packs
}

function packFolders(dirs: string[]): string[] {
  return dirs.flatMap((dir) => folderNames(dir).map((name) => join(dir, name)))
}

function folderNames(directory: string): string[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const entries = readdirSync(directory).filter((name) => !name.startsWith('.'))
  return entries.filter((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory()).sort()
}

function inputsIn(packs: Map<string, PackFiles>): FindInputs {
  return (pack, template): JsonObject | undefined => {
    const path = `templates/${template}.yaml`
    const bytes = packs.get(pack)?.files.get(path)
    if (bytes === undefined) return undefined
    const parsed = parseDocument(TemplateSpec, path, bytes)
    return Array.isArray(parsed) ? undefined : parsed.data.inputs
  }
}
