import { z } from 'zod'
import type { JsonObject } from '../json/json.ts'
import { EFFECTS } from '../policy/types.ts'
import { REFUSED_OUTCOMES } from '../trigger/outcome.ts'
import { WorkspaceId } from '../workspace/schema.ts'
import { DEFAULT_DST } from './next-fires.ts'

const Time = z.iso.datetime().meta({ description: 'RFC 3339, UTC, milliseconds', example: '2026-01-05T09:30:00.000Z' })

export const ScheduleId = z
  .string()
  .regex(/^sch_[0-9a-z]{26}$/)
  .meta({ description: 'Identifier of a schedule', example: 'sch_01hzy3v9k5m8q2w4x6z8b0d2f4' })

const Name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'lower-case letters, digits, dots, dashes and underscores, at most 100')
  .meta({ description: 'Unique in its workspace', example: 'nightly-check' })
const CronText = z
  .string()
  .max(200)
  .meta({ description: 'Five fields, or six with seconds first', example: '30 6 * * 1-5' })
const Days = z
  .enum(['and', 'or'])
  .meta({ description: 'Needed when day of the month and day of the week are both restricted' })
const Inputs = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Checked against the template’s input schema' })
  .transform((fields) => fields as JsonObject)
const CATCHUPS = ['none', 'latest', 'all'] as const
const OVERLAPS = ['skip', 'queue', 'cancel_previous'] as const
const SCHEDULE_SOURCES = ['console', 'pack', 'skill', 'overlay'] as const
export const FIRE_OUTCOMES = [
  'started',
  'skipped',
  'missed',
  ...REFUSED_OUTCOMES,
  'invalid',
  'claimed',
  'waiting',
] as const

const dst = {
  gap: z.enum(['run_at_end', 'skip']).default('run_at_end').meta({ description: 'A time that does not exist' }),
  fold: z.enum(['first', 'both']).default('first').meta({ description: 'A time that exists twice' }),
}
const Dst = z.strictObject(dst).meta({ id: 'ScheduleDst', description: 'What happens while clocks are changed.' })

const Timezone = z.string().max(100).default('UTC').meta({ description: 'IANA name', example: 'Europe/Berlin' })

export const ScheduleTimesQuery = z.object({ cron: CronText, timezone: Timezone, days: Days.optional(), ...dst })
export type ScheduleTimesQuery = z.infer<typeof ScheduleTimesQuery>

export const SchedulePreview = z
  .object({ next_fires: z.array(Time).meta({ description: 'The next ten times' }) })
  .meta({ id: 'SchedulePreview', description: 'When a cron expression would fire.' })
export type SchedulePreview = z.infer<typeof SchedulePreview>

const draft = {
  name: Name,
  cron: CronText,
  timezone: Timezone,
  days: Days.optional(),
  pack: z.string().max(100),
  template: z.string().max(100),
  inputs: Inputs.default({}),
  profile: z.string().max(100).optional(),
  environment: z.string().max(100).optional(),
  config_preset: z.string().normalize().max(100).optional().meta({ description: 'Pinned: every firing uses it' }),
  preset_version: z.int().min(1).optional(),
  enabled: z.boolean().default(true),
  catchup: z.enum(CATCHUPS).default('none').meta({ description: 'What is made up for after an outage of at most 1 h' }),
  overlap: z.enum(OVERLAPS).default('skip').meta({ description: 'When the run of the firing before is still active' }),
  jitter_s: z.int().min(0).max(3_600).default(0),
  dst: Dst.default(DEFAULT_DST),
}

export const ScheduleDraft = z.strictObject(draft).meta({
  id: 'ScheduleDraft',
  description: 'A schedule as it is made.',
  example: {
    name: 'nightly-check',
    cron: '30 2 * * *',
    timezone: 'Europe/Berlin',
    pack: 'sre',
    template: 'service-recovery',
    inputs: { url: 'http://127.0.0.1:8080' },
  },
})
export type ScheduleDraft = z.output<typeof ScheduleDraft>

/** A file of schedules: a list, each with its workspace, or without one for the default workspace. */
export const ScheduleFile = z.array(z.strictObject({ ...draft, workspace_id: WorkspaceId.optional() })).max(500)
export type ScheduleFile = z.output<typeof ScheduleFile>

export const ScheduleEdit = z
  .strictObject({
    enabled: z.boolean().optional(),
    state: z.enum(['paused', 'active']).optional(),
  })
  .refine(({ enabled, state }) => (enabled === undefined) !== (state === undefined), {
    message: 'give enabled, or state',
  })
  .meta({ id: 'ScheduleEdit', description: 'Pauses or resumes: `enabled`, or `state`.', example: { state: 'paused' } })
export type ScheduleEdit = z.infer<typeof ScheduleEdit>

const LastFire = z
  .object({
    nominal_at: Time,
    actual_at: Time,
    run_id: z.string().optional(),
    outcome: z.enum(FIRE_OUTCOMES),
    reason: z.string().optional(),
  })
  .meta({ id: 'ScheduleFire', description: 'The outcome of one time of a schedule.' })
export type LastFire = z.infer<typeof LastFire>

/** The next and the past fires of a schedule. */
export const ScheduleFires = z
  .object({
    next: z.array(Time).meta({ description: 'The next ten; none while it is paused' }),
    past: z.array(LastFire).meta({ description: 'The last fifty on record, the newest first' }),
  })
  .meta({ id: 'ScheduleFires', description: 'The times of a schedule.' })
export type ScheduleFires = z.infer<typeof ScheduleFires>

export const Schedule = z
  .object({
    id: ScheduleId,
    workspace_id: WorkspaceId,
    name: z.string(),
    source: z
      .enum(SCHEDULE_SOURCES)
      .meta({ description: 'Console overrides overlay, overlay overrides skills and packs' }),
    cron: z.string(),
    timezone: z.string(),
    days: Days.optional(),
    pack: z.string(),
    template: z.string(),
    inputs: z.record(z.string(), z.unknown()),
    profile: z.string().optional(),
    environment: z.string().optional(),
    config_preset: z.string().optional(),
    preset_version: z.int().optional(),
    enabled: z.boolean(),
    catchup: z.enum(CATCHUPS),
    overlap: z.enum(OVERLAPS),
    jitter_s: z.int(),
    dst: z
      .object({ gap: z.enum(['run_at_end', 'skip']), fold: z.enum(['first', 'both']) })
      .meta({ id: 'ScheduleClockChanges' }),
    sync: z.enum(['synced', 'pending']).meta({ description: 'Whether the engine has this version already' }),
    next_fire_at: Time.optional(),
    last_fire: LastFire.optional(),
    created_by: z.string().optional(),
    created_at: Time,
    updated_at: Time,
    etag: z.string().meta({ description: 'For `If-Match`', example: '"3"' }),
  })
  .meta({ id: 'Schedule', description: 'Starts runs of a template by the clock.' })
export type Schedule = z.infer<typeof Schedule>

export const CreatedSchedule = Schedule.extend({
  next_fires: z.array(Time).meta({ description: 'The next ten' }),
  policy_forecast: z
    .object({
      effect: z.enum([...EFFECTS, 'unknown']),
      matched: z.array(z.object({ name: z.string(), layer: z.string(), effect: z.enum(EFFECTS), reason: z.string() })),
      gate_possible: z.boolean().meta({ description: 'A firing may wait for an approval' }),
    })
    .meta({ description: 'What policies say now of the whole template; every firing is judged again' }),
}).meta({ id: 'CreatedSchedule', description: 'A new schedule with what is to be expected of it.' })
export type CreatedSchedule = z.infer<typeof CreatedSchedule>

/** A schedule that a pack, a skill or a file declares. Absent workspace: the default one. */
export interface DeclaredSchedule extends ScheduleDraft {
  source: 'pack' | 'skill' | 'overlay'
  workspace_id?: string | undefined
  dry_run?: boolean
  /** the file as people find it, for messages, and where in it */
  origin: string
  line?: number | undefined
}

/** Sources whose schedules are unknown now, because they are broken. */
export type UnreadSources = () => readonly DeclaredSchedule['source'][]

/** The schedules that are declared now; several sources are concatenated. */
export type DeclaredSchedules = () => readonly DeclaredSchedule[]
