import type { JsonObject } from '../json/json.ts'
import type { SkillFrontmatter } from './skill-schema.ts'

/** A sound skill: what an agent reads of it, and what makes it start runs. */
export interface Skill {
  /** `<pack>/<name>`, or `overlay/<name>` */
  id: string
  name: string
  description: string
  layer: 'pack' | 'overlay'
  /** as people find it */
  file: string
  /** everything above the text, including keys of other readers */
  frontmatter: JsonObject
  /** the Markdown below it */
  instructions: string
  /** absent when it starts nothing: it is only read, or switched off */
  start?: SkillStart
}

/** The run that a skill starts. */
export interface SkillStart {
  pack: string
  template: string
  /** with `on` they may contain expressions over `event` */
  inputs: JsonObject
  dry_run: boolean
  environment?: string
  profile?: string
  config_preset?: string
  cron?: { cron: string; timezone: string; days?: 'and' | 'or' }
  /** topics, possibly with wildcards */
  on: string[]
}

/** Returns the start of a valid frontmatter; undefined when nothing triggers it. */
export function skillStart(spec: SkillFrontmatter): SkillStart | undefined {
  const { run, cron, days, on = [], inputs, dry_run, environment, profile, config_preset } = spec
  if (!spec.enabled || run === undefined || (cron === undefined && on.length === 0)) return undefined
  const [pack = '', template = ''] = run.split('/')
  return {
    pack,
    template,
    inputs,
    dry_run,
    on,
    ...(environment !== undefined && { environment }),
    ...(profile !== undefined && { profile }),
    ...(config_preset !== undefined && { config_preset }),
    ...(cron !== undefined && {
      cron: { cron, timezone: spec.timezone ?? 'UTC', ...(days !== undefined && { days }) },
    }),
  }
}

/** Under this name a skill keeps its place in the log of the bus. */
export function subscriberName(skillId: string): string {
  return `skill/${skillId}`
}

/** Returns the actor of a skill's starts. */
export function skillActorId(skillId: string): string {
  return `skill:${skillId}`
}
