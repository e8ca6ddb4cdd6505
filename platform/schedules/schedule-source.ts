import { join } from 'node:path'
import { type FileFault, faultText } from '#core/file-fault.ts'
import type { Log } from '#core/log.ts'
import { DEFAULT_DST } from '#core/schedule/next-fires.ts'
import type { DeclaredSchedule, DeclaredSchedules, UnreadSources } from '#core/schedule/schema.ts'
import { createYamlFolder } from '#platform/environments/yaml-folder.ts'
import { type FollowOptions, followDirectories } from '#platform/packs/follow-directories.ts'
import type { PackRegistry } from '#platform/packs/pack-registry.ts'
import type { SkillCatalogue } from '#platform/skills/skill-catalogue.ts'
import { loadSchedules } from './load-schedules.ts'

/** The schedules of packs and files, kept current while the process runs. */
export interface ScheduleSource {
  declaredSchedules: DeclaredSchedules
  /** broken files; their last schedules stay in force */
  errors(): readonly FileFault[]
  unreadSources: UnreadSources
  reload(): void
  close(): void
}

export interface ScheduleSourceOptions {
  packs: Pick<PackRegistry, 'list' | 'errors'>
  skills?: Pick<SkillCatalogue, 'list'>
  /** the data directory */
  home: string
  log: Pick<Log, 'info' | 'warn'>
  follow?: FollowOptions
}

/** `schedules/*.yaml` of the packs, crons of skills, and `schedules/*.yaml` of the data directory. */
export function createScheduleSource({ packs, skills, home, log, follow }: ScheduleSourceOptions): ScheduleSource {
  const folder = createYamlFolder(home, 'schedules', (file, bytes) => {
    const loaded = loadSchedules(bytes, { source: 'overlay', file })
    return 'faults' in loaded ? { faults: loaded.faults } : { value: loaded.schedules }
  })
  const reload = (as_it_is: boolean) => {
    if (!folder.reload({ clock: follow?.clock, as_it_is })) return
    const problems = folder.faults().map(faultText)
    if (problems.length > 0) log.warn({ problems }, 'broken schedule files keep their last good version')
  }
  reload(true)
  const reloadAgain = () => {
    reload(false)
    return folder.moving() ? 'moving' : 'still'
  }
  const following = followDirectories([join(home, 'schedules')], reloadAgain, follow)
  return {
    declaredSchedules: () => [
      ...packs.list().flatMap((pack) => pack.schedules ?? []),
      ...skillSchedules(skills),
      ...folder.values().flat(),
    ],
    errors: () => folder.faults(),
    unreadSources() {
      const isPackUnread = packs.errors().some(({ in_force }) => in_force === undefined)
      return [
        ...(isPackUnread ? (['pack', 'skill'] as const) : []),
        ...(folder.unread().size > 0 ? (['overlay'] as const) : []),
      ]
    },
    reload: () => reload(true),
    close: following.close,
  }
}

/** The crons in the frontmatter of skills. */
function skillSchedules(skills: Pick<SkillCatalogue, 'list'> | undefined): DeclaredSchedule[] {
  return (skills?.list() ?? []).flatMap(({ id, file, start }): DeclaredSchedule[] => {
    if (start?.cron === undefined) return []
    const { pack, template, inputs, dry_run, cron, environment, profile, config_preset } = start
    return [
      {
        name: id.replaceAll('/', '.'),
        ...cron,
        pack,
        template,
        inputs,
        dry_run,
        ...(environment !== undefined && { environment }),
        ...(profile !== undefined && { profile }),
        ...(config_preset !== undefined && { config_preset }),
        enabled: true,
        catchup: 'none',
        overlap: 'skip',
        jitter_s: 0,
        dst: DEFAULT_DST,
        source: 'skill',
        origin: file,
      },
    ]
  })
}
