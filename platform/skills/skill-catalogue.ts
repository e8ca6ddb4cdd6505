import { join } from 'node:path'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import type { FindInputs } from '#core/skill/check-skill.ts'
import type { Skill } from '#core/skill/skill.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import { loadSkill, type SkillFile, type SkillOrigin } from './load-skill.ts'
import { overlayStamp, readOverlaySkills } from './overlay-skills.ts'

/** The skills of the packs, overridden by those of the deployment. Its lists never change. */
export interface SkillCatalogue {
  list(): readonly Skill[]
  find(id: string): Skill | undefined
  /** faults of the skills that are not in the list */
  errors(): readonly FileFault[]
  /** Calls after every reload that changed something; answers how to stop. */
  onChange(listener: () => void): () => void
  /** reads the deployment's directory now */
  reload(): void
  close(): void
}

export interface SkillCatalogueOptions {
  packs: Pick<PackRegistry, 'list' | 'findTemplate' | 'onChange'>
  /** the data directory */
  home: string
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

/** Keeps the skills current while the process runs. A broken one starts nothing, and its older version is not used. */
export function createSkillCatalogue({ packs, home, log, follow }: SkillCatalogueOptions): SkillCatalogue {
  const listeners = new Set<() => void>()
  const findInputs: FindInputs = (pack, template) => packs.findTemplate(pack, template)?.inputs_schema
  let stamp = overlayStamp(home)
  let view = read()

  function read(): LoadedSkills {
    const ofPacks = packs.list().map(({ name, skills }): SkillSource => [{ layer: 'pack', pack: name }, skills])
    const loaded = loadSkills([...ofPacks, [{ layer: 'overlay' }, readOverlaySkills(home)]], findInputs)
    if (loaded.faults.length > 0) log.warn({ problems: loaded.faults.map(faultText) }, 'broken skills start nothing')
    return loaded
  }

  function reload(): void {
    stamp = overlayStamp(home)
    view = read()
    log.info({ skills: view.skills.map(({ id }) => id) }, 'skills loaded')
    for (const listener of listeners) listener()
  }

  const unfollowPacks = packs.onChange(reload)
  const following = followDirectories(
    [join(home, 'skills')],
    () => {
      if (overlayStamp(home) !== stamp) reload()
      return 'still'
    },
    follow,
  )
  return {
    list: () => view.skills,
    find: (id) => view.skills.find((skill) => skill.id === id),
    errors: () => view.faults,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    reload,
    close() {
      unfollowPacks()
      following.close()
    },
  }
}

export type SkillSource = [SkillOrigin, readonly SkillFile[]]

export interface LoadedSkills {
  skills: Skill[]
  faults: FileFault[]
}

/** Reads skills, the later sources over the earlier: a deployment's skill replaces those of its name, also while it is broken. */
export function loadSkills(sources: readonly SkillSource[], findInputs: FindInputs): LoadedSkills {
  const replaced = new Set(
    sources.flatMap(([{ layer }, files]) => (layer === 'overlay' ? files.map(({ folder }) => folder) : [])),
  )
  const loaded: LoadedSkills = { skills: [], faults: [] }
  for (const [origin, files] of sources) {
    for (const file of files) {
      if (origin.layer === 'pack' && replaced.has(file.folder)) continue
      const skill = loadSkill(file, origin, findInputs)
      if (Array.isArray(skill)) loaded.faults.push(...skill)
      else if (loaded.skills.some(({ id }) => id === skill.id))
        loaded.faults.push({ file: file.file, message: `there is a skill ${skill.id} already` })
      else loaded.skills.push(skill)
    }
  }
  return loaded
}
