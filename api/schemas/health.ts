import { z } from '@hono/zod-openapi'
import type { HEALTH_CHECKS, Health } from '#services/health/check-health.ts'

const Verdict = z.enum(['ok', 'failing'])

export const HealthReport = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.object({ postgres: Verdict, temporal: Verdict, workers: Verdict, audit: Verdict }),
    details: z
      .record(z.string(), z.record(z.string(), z.unknown()))
      .optional()
      .meta({ description: 'With `?verbose`' }),
  })
  .meta({
    id: 'HealthReport',
    example: { status: 'ok', checks: { postgres: 'ok', temporal: 'ok', workers: 'ok', audit: 'ok' } },
  })

/** What the public may know of the health; the details only when asked for. */
export function toHealthReport(health: Health, verbose: boolean): z.infer<typeof HealthReport> {
  const verdict = (name: (typeof HEALTH_CHECKS)[number]) => (health.checks[name].ok ? 'ok' : 'failing')
  return {
    status: health.status,
    checks: {
      postgres: verdict('postgres'),
      temporal: verdict('temporal'),
      workers: verdict('workers'),
      audit: verdict('audit'),
    },
    ...(verbose ? { details: health.checks } : {}),
  }
}
