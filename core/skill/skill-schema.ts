import { z } from 'zod'
import type { Json, JsonObject } from '../json/json.ts'
import { PackTemplate } from '../names/name-schema.ts'

const Label = z.string().min(1).max(200)

/** The first segment must be a word: a skill that subscribes to everything would trigger itself. */
const Topic = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9_-]+(\.([A-Za-z0-9_-]+|\*))*(\.[>#])?$/,
    'a dotted topic such as run.failed; after the first segment, * matches one segment and a last > the rest',
  )

/**
 * The frontmatter of a SKILL.md: the open format of Agent Skills, and the keys with which a skill starts runs here. Unknown keys are kept,
 * because other readers of the format may know them.
 */
export const SkillFrontmatter = z.looseObject({
  name: z
    .string('a name')
    .max(64, 'at most 64 characters')
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'lower-case letters and digits with single hyphens between them'),
  description: z
    .string('a text that says what the skill does and when to use it')
    .max(1_024, 'at most 1024 characters')
    .refine((text) => text.trim() !== '', 'must say what the skill does'),
  license: z.string('a text').optional(),
  compatibility: z.string('a text').min(1).max(500, 'at most 500 characters').optional(),
  metadata: z.record(z.string(), z.string('a text; put numbers in quotes'), 'a mapping of names to texts').optional(),
  'allowed-tools': z.union([z.string(), z.array(z.string())], 'tools in one text, with spaces between them').optional(),

  run: PackTemplate.optional(),
  inputs: (
    z.record(z.string(), z.unknown() as z.ZodType<Json>, 'a mapping of names to values') as z.ZodType<
      JsonObject,
      unknown
    >
  ).default({}),
  cron: z.string('a cron expression such as 0 6 * * 1').optional(),
  timezone: z.string('a time zone such as Europe/Berlin').optional(),
  days: z.enum(['and', 'or'], 'takes and, or').optional(),
  on: z.array(Topic, 'a list of topics').min(1, 'name at least one topic').max(20).optional(),
  environment: Label.optional(),
  profile: Label.optional(),
  config_preset: Label.optional(),
  dry_run: z.boolean('takes true, false').default(false),
  enabled: z.boolean('takes true, false').default(true),
})
export type SkillFrontmatter = z.output<typeof SkillFrontmatter>

/** Keys that mean something here; every other one is only kept. */
export const SKILL_KEYS: ReadonlySet<string> = new Set(Object.keys(SkillFrontmatter.shape))
