import { z } from '@hono/zod-openapi'
import { HaltRecord } from '#core/halt/schema.ts'
import { SET_ASIDE_KINDS } from '#core/set-aside.ts'
import type { HEALTH_CHECKS, Health } from '#services/health/check-health.ts'
import type { Deployment } from '#services/health/describe-deployment.ts'

const Verdict = z.enum(['ok', 'failing'])

const Milliseconds = z.number().min(0).optional()
const Lane = z.object({
  limit: z.int().meta({ description: 'Operations that the live workers run at once' }),
  running: z.int(),
  queued: z.int(),
  wait_p50_ms: Milliseconds.meta({ description: 'From admission to the first execution, of the last five minutes' }),
  wait_p99_ms: Milliseconds,
})
const Place = {
  file: z.string(),
  line: z.int().optional(),
  column: z.int().optional(),
  message: z.string().meta({ description: 'Names references of secrets, never a secret' }),
}
const Problems = z.array(z.string()).optional()
const Finding = z
  .object({ ...Place, warning: z.boolean().optional().meta({ description: 'It may be meant as it is' }) })
  .meta({ id: 'Finding', description: 'What is wrong with a file, and where.' })

export const HealthReport = z
  .object({
    status: z.enum(['ok', 'degraded', 'unavailable']).meta({
      description:
        '`degraded`, with `?verbose` alone: everything runs, and something of the deployment is not as it is meant',
    }),
    checks: z.object({ postgres: Verdict, temporal: Verdict, workers: Verdict, audit: Verdict }),
    details: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .optional()
      .meta({ description: 'With `?verbose`, as everything below' }),
    lanes: z
      .object({ realtime: Lane, background: Lane })
      .optional()
      .meta({ description: 'Over all workspaces; absent while the database is away' }),
    bus: z
      .object({
        waiting: z.int().meta({ description: 'Messages that have no number yet' }),
        subscribers: z.array(z.object({ subscriber: z.string(), behind: z.int(), dead_letters: z.int() })),
      })
      .optional()
      .meta({
        description:
          'The durable bus, with the subscribers and dead letters of this workspace; absent while the database is away',
      }),
    pipelines: z
      .object({
        queued: z.int(),
        running: z.int(),
        blocked: z.int().meta({ description: 'Those that wait for people alone' }),
        not_taken_back: z.int().meta({
          description:
            'Those that ended in the last day with a compensation that did not succeed: `not_taken_back` of the pipeline says which',
        }),
      })
      .optional()
      .meta({ description: 'The pipelines of this workspace; absent while the database is away' }),
    halts: z
      .array(HaltRecord.omit({ by: true, may_lift: true }).extend({ by: z.string() }))
      .optional()
      .meta({ description: 'What is stopped on purpose, in this workspace or in all' }),
    channels: z
      .array(z.object({ channel: z.string().optional(), problem: z.string() }))
      .optional()
      .meta({ description: 'Notification channels that cannot be used' }),
    packs: z
      .array(z.object({ pack: z.string(), problems: z.array(z.string()), in_force: z.string().optional() }))
      .optional()
      .meta({ description: 'Packs that do not load, and the version that is in force' }),
    environments: Problems.meta({ description: 'Files of environments, profiles and rules that do not load' }),
    policies: Problems.meta({ description: 'Policies that are broken: the gate is on where they apply' }),
    schedules: z
      .array(z.object({ schedule: z.string().optional(), ...Place }))
      .optional()
      .meta({ description: 'Schedules of packs and files that do not fire; others do' }),
    ingress: z
      .array(z.object({ ingress: z.string(), ...Place }))
      .optional()
      .meta({ description: 'Signed ingress that lets nothing in, because of its secrets' }),
    problems: z.array(Finding).optional().meta({
      description: 'Everything that is wrong with the files of the deployment, and names in them that there are not',
    }),
    undelivered: z
      .array(
        z.object({ channel: z.string(), detail: z.string(), count: z.int(), retrying: z.int(), since: z.string() }),
      )
      .optional()
      .meta({
        description:
          'Messages of the last day that did not arrive, by channel and reason; `retrying` is how many are tried again',
      }),
    set_aside: z
      .array(
        z.object({
          kind: z.enum(SET_ASIDE_KINDS),
          subject: z.string().meta({ description: 'Id of the delivery or of the run' }),
          reason: z.string(),
          created_at: z.string(),
        }),
      )
      .optional()
      .meta({
        description:
          'Work of this workspace that crashed two processes: deliveries until a user replays them, runs for a day; the newest 50',
      }),
    versions: z.record(z.string(), z.string()).optional(),
  })
  .meta({
    id: 'HealthReport',
    example: { status: 'ok', checks: { postgres: 'ok', temporal: 'ok', workers: 'ok', audit: 'ok' } },
  })

/** Builds the public report of the health, and the further details for a signed-in user. */
export function toHealthReport(health: Health, deployment?: Deployment): z.infer<typeof HealthReport> {
  const verdict = (name: (typeof HEALTH_CHECKS)[number]) => (health.checks[name].ok ? 'ok' : 'failing')
  return {
    status: health.status === 'ok' && deployment !== undefined && isDegraded(deployment) ? 'degraded' : health.status,
    checks: {
      postgres: verdict('postgres'),
      temporal: verdict('temporal'),
      workers: verdict('workers'),
      audit: verdict('audit'),
    },
    ...(deployment !== undefined && { details: health.checks, ...deployment }),
  }
}

/** Tells whether an expected part is missing. Closed ingress and dead letters have their own lists, and pass. */
function isDegraded(deployment: Deployment): boolean {
  const {
    problems = [],
    undelivered = [],
    set_aside = [],
    channels,
    packs,
    environments,
    policies,
    schedules,
  } = deployment
  const others = [channels, packs, environments, policies, schedules]
  if (set_aside.length > 0 || undelivered.some(({ retrying }) => retrying > 0)) return true
  return problems.some(({ warning }) => warning !== true) || others.some((list) => list.length > 0)
}
